"""What was decided about a run, in the reader's words: a further go, or an answer before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from report_center.pages.decisions import again_words, answer_words
from report_center.pages.formats import Formats
from report_center.pages.run_view import run_page
from report_center.pages.texts import texts_in
from report_center.records.run import AnswerRow
from reporting.core.run_retry import Plan
from tests import center_samples as samples

pytestmark = pytest.mark.unit
EN, ZH = Formats(texts_in("en")), Formats(texts_in("zh"))
ZONE = "Asia/Shanghai"
DUE = datetime(2026, 3, 5, 4, tzinfo=UTC)
NEXT, USED = Plan(1, 3, DUE, None), Plan(3, 3, DUE, "all its runs are used up")
NEVER = Plan(0, 3, DUE, "compute failed with KeyError, not TransientError")
ANSWER = AnswerRow(2, "manual__0", DUE, ())


@pytest.mark.parametrize(
    ("plan", "english", "chinese"),
    [
        (NEXT, "2 of 3 times, next at 2026-03-05 12:00 CST.", "下次在 2026-03-05 12:00 CST。"),
        (USED, "3 of 3 times.", "共 3 次中的 3 次。"),
        (
            NEVER,
            "0 of 3 times, not once more: compute failed with KeyError, not TransientError.",
            "compute failed with KeyError, not TransientError。",
        ),
    ],
)
def test_whether_a_run_is_run_again_is_told(plan: Plan, english: str, chinese: str) -> None:
    assert again_words(EN, plan, ZONE) == english
    assert again_words(ZH, plan, ZONE).endswith(chinese)


def test_the_release_that_answers_a_duplicate_is_told() -> None:
    assert answer_words(EN, ANSWER, ZONE) == (
        "Published already as version 2 by run manual__0, 2026-03-05 12:00 CST. For a new version "
        "trigger it again and choose to make one, or rerun that run."
    )
    lacking = replace(ANSWER, missing=("weather", "planes"))
    assert "It is without weather, planes." in answer_words(EN, lacking, ZONE)
    assert "版本 2" in answer_words(ZH, ANSWER, ZONE)


def test_a_page_tells_it_in_its_own_language_and_else_as_the_run_has_left_it() -> None:
    view = samples.failed_view(again="1 of 2 times")
    assert run_page(ZH, view, ZONE).again == "1 of 2 times"
    assert run_page(ZH, replace(view, plan=USED), ZONE).again == "共 3 次中的 3 次。"
    assert run_page(ZH, replace(view, plan=USED, again=None), ZONE).again is None
    told = run_page(ZH, samples.run_view(answer=ANSWER), ZONE).answered_by
    assert told == answer_words(ZH, ANSWER, ZONE)
    assert run_page(ZH, samples.run_view(), ZONE).answered_by is None
