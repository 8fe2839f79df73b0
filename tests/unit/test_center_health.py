"""The page Health names the differences that were found, in the reader's words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from report_center.pages.health_view import health_page
from report_center.pages.shell import render
from report_center.pages.texts import LANGUAGES, texts_in
from reporting.core.reconcile import (
    comparisons,
    orphaned_files,
    requests,
    staged_counts,
)
from tests.center_pages import frame, pages
from tests.center_trouble import AGAIN, DIFFERENCES, health

pytestmark = pytest.mark.unit
# Kinds of differences that a comparison of another name finds.
BESIDES = (orphaned_files.LOST_RELEASE, requests.NO_RECORD, staged_counts.STAGED_OBJECT)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_difference_has_a_word(language: str) -> None:
    for kind in (*(one.what for one in comparisons.COMPARISONS), *BESIDES):
        assert texts_in(language).knows(f"difference.{kind.replace(' ', '_')}"), kind


def test_a_difference_says_what_it_is_and_whether_it_is_left() -> None:
    view = health_page(texts_in("en"), health())
    told = [(line.kind, line.badge.text) for line in view.differences]
    assert told == [("Published rows", "Left"), ("Orphaned message", "Repaired")]
    assert view.more == 1
    assert health_page(texts_in("zh"), health()).differences[1].kind == "无主的消息"


def test_a_difference_of_a_later_version_keeps_its_name() -> None:
    last = health().reconciliation
    assert last is not None
    found = replace(last, found=(replace(DIFFERENCES[0], kind="some new kind"),))
    (line,) = health_page(texts_in("en"), health(reconciliation=found)).differences
    assert line.kind == "some new kind"


def test_the_page_names_the_command_that_mends_what_is_left() -> None:
    text = pages()["health"]
    assert f"<code>{AGAIN}</code>" in text
    assert "orphaned message" not in text
    assert "Orphaned message: dead/1" in text
    assert "1 more is not shown." in text


def test_the_slots_are_those_of_pools_and_the_executor_has_a_limit_of_its_own() -> None:
    told = pages()["health"]
    assert "Slots of the pools" in told
    assert "at most 8 tasks at once" in told
    unknown = health_page(texts_in("en"), health(parallelism=None))
    html = render(frame(), "health.html", view=unknown)
    assert "tasks at once" not in html


def test_an_installation_that_was_never_compared_has_no_differences() -> None:
    view = health_page(texts_in("en"), health(reconciliation=None))
    assert (view.differences, view.more) == ((), 0)
