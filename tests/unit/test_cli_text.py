"""Tables, amounts and params as the command line writes them."""

from __future__ import annotations

import pytest

from reporting.cli.amounts import count_text, moment_text, seconds_text, size_text
from reporting.cli.progress import Progress
from reporting.cli.run_text import params_text, result_text
from reporting.cli.run_view import TaskView, started_by
from reporting.cli.text_table import aligned

pytestmark = pytest.mark.unit


def task(result: object = None, failure: str | None = None) -> TaskView:
    return TaskView("fetch_a", "success", 1, 4, 1.0, result, failure)


def test_table_aligns_texts_left_and_numbers_right() -> None:
    assert aligned(["NAME", "ROWS"], [["a", "5"], ["longer", "1200"]], right={"ROWS"}) == [
        "NAME    ROWS",
        "a          5",
        "longer  1200",
    ]


def test_table_counts_chinese_as_two_columns() -> None:
    assert aligned(["城市", "N"], [["北京", "1"], ["x", "2"]]) == ["城市  N", "北京  1", "x     2"]


def test_table_without_rows_is_its_headers() -> None:
    assert aligned(["A", "B"], []) == ["A  B"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "-"), (0.0, "0.0 s"), (59.94, "59.9 s"), (59.96, "1 min 00 s"),
        (125.4, "2 min 05 s"), (3599.6, "1 h 00 min"), (3725, "1 h 02 min"),
    ],
)  # fmt: skip
def test_durations(seconds: float | None, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (2222, "2.2 kB"),
        (5_000_000, "5.0 MB"),
        (3 * 10**15, "3000.0 TB"),
    ],
)
def test_sizes(count: int, text: str) -> None:
    assert size_text(count) == text


def test_counts_and_moments() -> None:
    assert (count_text(1, "row"), count_text(0, "row")) == ("1 row", "0 rows")
    assert count_text(12345, "row") == "12,345 rows"
    assert moment_text("2026-01-31T07:00:00.5+01:00") == "2026-01-31 06:00:00 UTC"
    assert moment_text(None) == "-"


def test_params_without_a_value_are_left_out() -> None:
    assert params_text({"carrier": None}) == "none given"
    assert params_text({"carrier": "UA", "top": 3, "all": False}) == "carrier=UA top=3 all=false"


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ({"rows": 67, "bytes": 2222, "parts": 1}, "67 rows, 2.2 kB"),
        ({"rows": {"a": 1, "b": 20}, "reused": True}, "a 1 row, b 20 rows, reused"),
        ({"messages": 1}, "1 message"),
        ('{"missing": {}}', ""),
        (None, ""),
    ],
)
def test_key_numbers_of_a_task(result: object, text: str) -> None:
    assert result_text(task(result)) == text


def test_a_failed_task_shows_the_first_line_of_its_reason() -> None:
    assert result_text(task(failure="TerminalError: no\nmore")) == "TerminalError: no"


def test_who_started_a_run() -> None:
    by_hand = {"triggered_by": "rest_api", "triggering_user_name": "ann"}
    assert started_by(by_hand) == "ann, over REST"
    assert started_by({"triggered_by": "timetable"}) == "by its schedule"
    assert started_by({"triggered_by": "backfill"}) == "by backfill"


def test_progress_tells_changes_and_now_and_then_that_nothing_changed() -> None:
    now, lines = [0.0], list[str]()
    progress = Progress(lines.append, clock=lambda: now[0])
    for moment, text in ((0, "INIT"), (10, "INIT"), (31, "INIT"), (40, "INIT"), (41, "SUCCESS")):
        now[0] = moment
        progress.tell(text)
    assert [line.strip() for line in lines] == [
        "0.0 s  INIT",
        "31.0 s  still INIT",
        "41.0 s  SUCCESS",
    ]
