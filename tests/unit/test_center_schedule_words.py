"""What starts a report, in the words of both languages: per kind of start, and per schedule."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from report_center.pages.formats import Formats
from report_center.pages.report_view import report_page
from report_center.pages.schedule_words import start_words
from report_center.pages.texts import LANGUAGES, texts_in
from report_center.pages.today_view import Sought, today_view
from report_center.records.reports import ReportRow
from reporting.definition.daily import Daily
from reporting.definition.description import description_of
from reporting.definition.monthly import Monthly
from reporting.definition.schedule import Schedule
from reporting.definition.starts import OnSchedule, Start, UpstreamEvent
from tests import center_samples as samples
from tests.specimens import a_report

pytestmark = pytest.mark.unit
DAILY, MONTHLY = Daily("06:00", "Asia/Shanghai"), Monthly("07:30", "Europe/Berlin", day=3)
WORDS: dict[tuple[str, str], str] = {
    ("day", "en"): "daily at 06:00 Asia/Shanghai",
    ("day", "zh"): "每天 06:00 Asia/Shanghai",
    ("month", "en"): "monthly on day 3 at 07:30 Europe/Berlin",
    ("month", "zh"): "每月 3 日 07:30 Europe/Berlin",
}


def known(schedule: Schedule = DAILY, starts: tuple[Start, ...] = (OnSchedule(),)) -> ReportRow:
    told = description_of(a_report(schedule=schedule, starts_on=list(starts)))
    return samples.report(definition=told, schedule_words=told["starts"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("schedule", [DAILY, MONTHLY])
def test_every_schedule_has_words_in_every_language(schedule: Schedule, language: str) -> None:
    found = start_words(texts_in(language), known(schedule))
    assert found == (WORDS[schedule.unit, language],)


def test_every_unit_of_a_schedule_is_tried() -> None:
    assert {unit for unit, _ in WORDS} == {kind.unit for kind in Schedule.__subclasses__()}


@pytest.mark.parametrize(
    ("starts", "english", "chinese"),
    [
        ((UpstreamEvent("loaded"),), ["when event loaded arrives"], ["事件 loaded 到达时"]),
        ((), ["only when somebody triggers it"], ["仅在有人触发时"]),
        (
            (OnSchedule(), UpstreamEvent("loaded")),
            [WORDS["day", "en"], "when event loaded arrives"],
            [WORDS["day", "zh"], "事件 loaded 到达时"],
        ),
    ],
)
def test_a_report_that_the_clock_does_not_start_names_no_clock(
    starts: tuple[Start, ...], english: list[str], chinese: list[str]
) -> None:
    for language, words in (("en", english), ("zh", chinese)):
        fmt = Formats(texts_in(language))
        report = known(starts=starts)
        page = report_page(fmt, report, samples.versions(), ())
        today = samples.today(samples.today_row(report=report))
        (line,) = today_view(fmt, today, Sought(), samples.DAY).lines
        assert line.schedule == " · ".join(words)
        assert len(page.starts) == len(words)
        assert all(told in found for told, found in zip(words, page.starts, strict=True))


def test_a_report_that_the_clock_does_not_start_has_no_last_period() -> None:
    ending = Daily("06:00", "Asia/Shanghai", end=date(2030, 1, 1))
    fmt = Formats(texts_in("en"))
    by_clock, by_hand = (
        report_page(fmt, report, samples.versions(), ()).starts
        for report in (known(ending), known(ending, ()))
    )
    assert by_clock[1:] == ("Its last period is 2030-01-01.",)
    assert len(by_hand) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_an_earlier_version_told_of_a_month_is_shown_as_it_was(language: str) -> None:
    told: dict[str, Any] = {**known(MONTHLY).definition}
    told["schedule"] = {name: value for name, value in told["schedule"].items() if name != "day"}
    del told["starts_on"]
    report = samples.report(definition=told)
    assert start_words(texts_in(language), report) == (WORDS["month", "en"],)


def test_a_report_of_an_earlier_build_is_told_in_airflows_words() -> None:
    report = samples.report(definition={}, schedule_words="At 06:00")
    assert start_words(texts_in("zh"), report) == ("At 06:00",)
