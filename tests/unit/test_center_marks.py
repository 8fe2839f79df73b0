"""What lists and heads say besides the state: what is lacking, set aside, or not shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import pytest

from report_center.pages.asked import VersionsAsked
from report_center.pages.formats import Formats
from report_center.pages.report_view import report_page
from report_center.pages.run_view import run_page
from report_center.pages.runs_view import runs_view
from report_center.pages.shell import render
from report_center.pages.texts import LANGUAGES, texts_in
from report_center.pages.today_view import Sought, today_view
from report_center.records.runs import RunsPage, RunsWanted
from report_center.records.today import UnshownRow
from tests import center_samples as samples
from tests.center_definition import DEFINITION
from tests.center_pages import frame

pytestmark = pytest.mark.unit

LACKING = samples.run(missing=("weather", "fees"), set_aside=2)
ENDED = {**DEFINITION, "schedule": {**DEFINITION["schedule"], "end": "2013-12-31"}}


def listed(language: str) -> dict[str, str]:
    """Return the three places that show a run as text."""
    own = frame(language=language)
    fmt = Formats(own.texts)
    day = samples.today(samples.today_row(last=LACKING))
    today = today_view(fmt, day, Sought(), samples.DAY)
    runs = runs_view(fmt, RunsPage((LACKING,), None), RunsWanted(), [samples.report()], {})
    head = run_page(fmt, replace(samples.run_view(), run=LACKING), "UTC")
    return {
        "today": render(own, "today.html", view=today),
        "runs": render(own, "runs.html", view=runs),
        "run": render(own, "run.html", view=head, may_download=False, acts=()),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_run_that_went_on_without_something_is_no_plain_success(language: str) -> None:
    texts = texts_in(language)
    for place, html in listed(language).items():
        assert texts("marks.missing", sources="weather, fees") in html, place
        assert texts.count("run.set_aside", 2) in html, place
    assert texts_in("en")("marks.missing", sources="weather") == "Incomplete: without weather"


def test_a_whole_run_has_no_mark() -> None:
    view = runs_view(
        Formats(texts_in("en")), RunsPage((samples.run(),), None), RunsWanted(), [], {}
    )
    assert view.lines[0].marks == ()


@pytest.mark.parametrize("version", [1, None])
@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("rolled_back", "Rolled back: version 2 of 2026-03-04 is not shown"),
        ("withdrawn", "Withdrawn: version 2 of 2026-03-04"),
    ],
)
def test_today_says_why_the_newest_version_is_not_what_readers_see(
    version: int | None, why: Literal["rolled_back", "withdrawn"], said: str
) -> None:
    row = samples.today_row(version=version, unshown=UnshownRow(why, 2, "2026-03-04"))
    own = frame()
    view = today_view(Formats(own.texts), samples.today(row), Sought(), samples.DAY)
    html = render(own, "today.html", view=view)
    assert said in html
    assert ("Version 1" in html) == (version == 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_schedule_that_has_ended_says_when(language: str) -> None:
    own = frame(language=language)
    fmt = Formats(own.texts)
    report = samples.report(definition=ENDED, next_run_at=None)
    row = samples.today_row(report=report, next_at=None)
    line = today_view(fmt, samples.today(row), Sought(), samples.DAY).lines[0]
    said = own.texts("schedule.ended", period="2013-12-31")
    assert (line.punctuality.code, line.punctuality.text) == ("ended", said)
    view = report_page(fmt, report, samples.versions(), ())
    told = {"acts": (), "version_acts": {}, "asked": VersionsAsked()}
    assert said in render(own, "report.html", view=view, **told)


def test_counts_of_30_days_say_what_they_leave_out() -> None:
    own = frame()
    view = today_view(Formats(own.texts), samples.today(samples.today_row()), Sought(), samples.DAY)
    assert "a backfill of earlier periods is not counted" in render(own, "today.html", view=view)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failed_run_names_the_button_that_mends_it(language: str) -> None:
    own = frame(language=language)
    view = run_page(Formats(own.texts), samples.failed_view(), "UTC")
    assert own.texts("act.rerun_failed") in view.next_step
    assert "fetch_weather" in view.next_step
