"""What the pages show, as pure functions of the records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from report_center.pages.badges import BAD, BUSY, GOOD, run_badge, step_badge
from report_center.pages.formats import Formats
from report_center.pages.letters_view import PAGE, LettersFound, LettersWanted, letters_view
from report_center.pages.plain_values import plain_pairs, result_text
from report_center.pages.report_view import report_page
from report_center.pages.run_view import RunPage, run_page
from report_center.pages.runs_view import doing, runs_view
from report_center.pages.started_by import started_by
from report_center.pages.texts import texts_in
from report_center.pages.today_view import Sought, TodayView, today_view
from report_center.pages.unseen import unseen_texts
from report_center.records.failure import FailureRow
from report_center.records.run import Wait
from report_center.records.runs import RunsPage, RunsWanted
from report_center.records.today import TodayRow
from tests import center_samples as samples
from tests.center_definition import ZONE
from tests.center_trouble import letter

FMT = Formats(texts_in("en"))
ZH = Formats(texts_in("zh"))


def view_of(*rows: TodayRow, sought: Sought | None = None) -> TodayView:
    return today_view(FMT, samples.today(*rows), sought or Sought(), samples.DAY)


def named(name: str, **changes: object) -> TodayRow:
    return samples.today_row(report=samples.report(name, title=name), **changes)


def test_what_needs_somebody_comes_first() -> None:
    view = view_of(
        named("well"),
        named("late", is_late=True),
        named("runs", last=samples.run(state="CALCULATING", is_over=False)),
        named("failed", last=samples.run(state="FAILED")),
        named("never", last=None),
    )
    assert [line.report.name for line in view.lines] == ["failed", "late", "runs", "well", "never"]
    assert (view.reports, view.running, view.late, view.failed) == (5, 1, 1, 1)


def test_many_reports_come_page_by_page() -> None:
    rows = [named(f"report_{number:03}") for number in range(120)]
    first, last = view_of(*rows), view_of(*rows, sought=Sought(offset=100))
    assert (len(first.lines), first.next_offset) == (50, 50)
    assert (len(last.lines), last.next_offset) == (20, None)
    assert first.reports == last.reports == 120


@pytest.mark.parametrize("text", ["WEATHER", "weath", "flights", "planes"])
def test_a_report_is_found_by_title_tag_or_source(text: str) -> None:
    assert len(view_of(samples.today_row(), sought=Sought(text)).lines) == 1


def test_a_report_that_does_not_fit_is_left_out_yet_counted() -> None:
    view = view_of(samples.today_row(), sought=Sought("nothing like it"))
    assert (view.lines, view.reports) == ((), 1)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (samples.today_row(), "on_time"),
        (samples.today_row(is_late=True), "is_late"),
        (samples.today_row(next_at=None), "by_hand"),
        (samples.today_row(last=samples.run(is_over=False)), "under_way"),
        (samples.today_row(report=samples.report(is_paused=True)), "paused"),
        (samples.today_row(report=samples.report(is_gone=True)), "gone"),
        (samples.today_row(last=samples.run(is_over=False), is_late=True), "is_late"),
    ],
)
def test_a_report_is_on_time_or_it_is_said_why_not(row: TodayRow, code: str) -> None:
    assert view_of(row).lines[0].punctuality.code == code


def test_a_report_that_never_ran_shows_that() -> None:
    never = samples.today_row(last=None, success_rate=None, durations=(), took=None, version=None)
    line = view_of(never).lines[0]
    assert (line.badge, line.success, line.chart, line.usual) == (None, None, None, "")


@pytest.mark.parametrize(
    ("state", "tone", "english", "chinese"),
    [
        ("SUCCESS", GOOD, "Success", "成功"),
        ("FAILED", BAD, "Failed", "失败"),
        ("FETCHING_DATA_ORDER_LINES", BUSY, "Fetching order_lines", "正在取 order_lines"),
        ("SOMETHING_NEW", BUSY, "SOMETHING_NEW", "SOMETHING_NEW"),
    ],
)
def test_a_state_has_a_colour_a_sign_and_a_word(
    state: str, tone: str, english: str, chinese: str
) -> None:
    badge = run_badge(FMT.texts, state)
    assert (badge.tone, badge.text, badge.code) == (tone, english, state)
    assert badge.sign
    assert run_badge(ZH.texts, state).text == chinese


def test_a_duplicate_is_no_success() -> None:
    assert run_badge(FMT.texts, "SUCCESS", is_duplicate=True).text == "Duplicate"


@pytest.mark.parametrize("state", [None, "running", "some_new_state"])
def test_every_state_of_a_task_has_a_word(state: str | None) -> None:
    assert step_badge(FMT.texts, state).text


def test_a_run_says_who_started_it() -> None:
    assert started_by(FMT.texts, samples.run()) == "by its schedule"
    assert started_by(FMT.texts, samples.run(how="ui", triggered_by="eve")) == "eve, in Airflow"
    assert started_by(FMT.texts, samples.run(how=None)) == "unknown"
    assert started_by(FMT.texts, samples.run(how="new_way")) == "new_way"


def test_a_run_under_way_says_what_it_does() -> None:
    assert doing(FMT, samples.progress()) == (
        "3 of 4 sources ready · fetch_planes: 1,204 rows, 88.0 kB"
    )
    assert doing(FMT, samples.progress(state="CALCULATING", steps=())) is None


def test_a_run_that_is_over_does_nothing() -> None:
    run = samples.run()
    page = RunsPage((run,), None)
    known = {(run.report, run.run_id): samples.progress()}
    view = runs_view(FMT, page, RunsWanted(), [samples.report()], known)
    assert (view.lines[0].doing, view.running, view.is_filtered) == (None, 0, False)
    assert view.lines[0].zone == ZONE


def test_a_filter_is_shown_as_it_was_chosen() -> None:
    wanted = RunsWanted(report="airline_on_time", state="FETCHING_DATA")
    view = runs_view(FMT, RunsPage((), None), wanted, [samples.report()], {})
    assert [one.is_chosen for one in view.reports] == [True]
    assert [one.value for one in view.states if one.is_chosen] == ["FETCHING_DATA"]
    assert view.is_filtered


def page_of(**changes: object) -> RunPage:
    return run_page(FMT, samples.run_view(**changes), ZONE)


def test_a_source_says_what_it_waits_for() -> None:
    page = run_page(FMT, samples.fetching_view(), ZONE)
    assert [line.waits for line in page.sources] == [
        None,
        None,
        "waits for replies in reports.replies.17",
        None,
    ]
    assert page.doing
    assert page.no_release == "Nothing is published yet."


@pytest.mark.parametrize("kind", ["slot", "retry", "job", "reply", "drop"])
def test_every_wait_has_words_with_and_without_its_object(kind: str) -> None:
    for what in ("", "thing"):
        source = samples.source("planes", "deferred", waits_for=Wait(kind, what, None))
        told = page_of(sources=(source,)).sources[0].waits
        assert told is not None
        assert what in told
        assert told.startswith("waits for")


def test_a_failed_run_says_what_to_do_next() -> None:
    page = run_page(FMT, samples.failed_view(), ZONE)
    assert page.next_step == (
        "Mend the cause, then press “Rerun the failed part” above, which whoever may change "
        "runs sees: it clears fetch_weather with all that comes after."
    )
    assert [line.badge.text for line in page.compensated] == ["Done", "Done"]
    failure = FailureRow(None, None, (), "trigger", (), "")
    assert page_of(failure=failure).next_step.startswith("Trigger it again")


def test_the_state_that_fetches_shows_its_sources() -> None:
    page = page_of()
    shown = {line.place.state: [one.text for one in line.sources] for line in page.main}
    assert shown.pop("FETCHING_DATA") == list(samples.SOURCES)
    assert not any(shown.values())


def test_steps_are_told_apart_from_fetches() -> None:
    assert [line.name for line in page_of().steps] == [
        "Start",
        "Wait for sources",
        "Compute",
        "Publish",
        "Deliver",
        "Undo",
    ]
    assert page_of().steps[2].result == "carrier_day: 16 rows"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({}, ""),
        ({"rows": 3, "bytes": 2048}, "3 rows · 2.0 kB"),
        ({"rows": {"a": 1, "b": "many"}, "reused": True}, "a: 1 row · reused"),
        ({"messages": 2}, "2 messages"),
        ({"rows": None, "bytes": "x", "version": 4}, "Version 4"),
    ],
)
def test_a_result_is_told_by_its_key_numbers(result: dict[str, object], text: str) -> None:
    assert result_text(FMT, result) == text


def test_params_without_a_value_are_left_out_and_long_ones_cut() -> None:
    pairs = plain_pairs({"a": None, "b": "", "c": 0, "d": [1, "é"], "e": "x" * 500})
    assert [name for name, _ in pairs] == ["c", "d", "e"]
    assert dict(pairs)["d"] == '[1, "é"]'
    assert len(dict(pairs)["e"]) == 201


def test_a_definition_is_told_in_words() -> None:
    page = report_page(FMT, samples.report(), samples.versions(samples.version()), ())
    assert page.starts == (
        "Runs daily at 06:00 America/New_York.",
        "Runs when event flights_loaded arrives.",
    )
    assert "A failed run is run again up to 2 times, 30 min later." in page.rules
    assert page.sources[0].origin == "operations_db: flights.sql"
    assert page.sources[0].rules == (
        "At least 1 row.",
        "Column flight_date is no older than 1 d.",
        "Rows that do not fit are set aside, up to 10.",
        "At most 30 min.",
    )
    assert ("Files go to", "operations@example.com") in page.recipients
    assert ("Alerts go to", "slack_alerts") in page.recipients
    assert page.versions[0].rows == (("carrier_day", "16", "±0"), ("route_day", "1,204", "+12"))


def test_a_schedule_is_told_in_chinese() -> None:
    page = report_page(ZH, samples.report(), samples.versions(), ())
    assert "每天 06:00 America/New_York" in page.starts[0]


def test_a_report_of_an_earlier_build_is_shown_without_its_definition() -> None:
    page = report_page(
        FMT, samples.report(definition={}), samples.versions(), ("The store does not answer.",)
    )
    assert not page.is_known
    assert (page.sources, page.rules) == ((), ())


def test_a_table_that_is_gone_is_a_change_too() -> None:
    gone = samples.version(
        release=samples.release(row_counts={"new": 3}), differences={"new": 3, "old": -7}
    )
    rows = report_page(FMT, samples.report(), samples.versions(gone), ()).versions[0].rows
    assert rows == (("new", "3", "+3"), ("old", "0", "\N{MINUS SIGN}7"))


def test_letters_know_their_report_and_whether_they_wait() -> None:
    letters = (letter(), replace(letter(), report=None, state="replayed"))
    view = letters_view(FMT, LettersFound(letters, PAGE + 1), LettersWanted(), [samples.report()])
    assert [line.title for line in view.lines] == ["Airline on-time performance", ""]
    assert [line.is_open for line in view.lines] == [True, False]
    assert view.next_offset == PAGE
    assert not view.is_filtered


def test_what_is_away_is_told_in_the_readers_words() -> None:
    told = ["The message broker does not answer (OSError).", "Something else."]
    assert unseen_texts(FMT.texts, told) == (
        "The message broker does not answer: its queues are not shown.",
        "Something else.",
    )
    assert "消息代理" in unseen_texts(ZH.texts, told)[0]
