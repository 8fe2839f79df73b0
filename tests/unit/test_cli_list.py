"""The list: schedules in words, reports that ended, and the files Airflow cannot read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest

from reporting.airflow_edge.report_text import report_text
from reporting.cli.broken_files import BrokenFile, broken_files, last_line
from reporting.cli.list_reports import broken_lines, list_json, list_lines
from reporting.cli.report_dags import known_run, report_dag
from reporting.cli.report_line import ReportLine, line_of
from reporting.cli.run_line import RunLine
from reporting.core.airflow_api import AirflowApi, NotFoundError
from reporting.definition.daily import Daily
from reporting.definition.monthly import Monthly
from reporting.definition.schedule import Schedule
from reporting.definition.schedule_text import read_schedule, schedule_line, start_words
from reporting.definition.starts import OnSchedule, Start, UpstreamEvent
from reporting.errors import InputError, TerminalError
from tests.specimens import a_report

pytestmark = pytest.mark.unit

ENDING = Daily("06:00", "America/New_York", date(2013, 1, 1), date(2013, 12, 31))
DAG: dict[str, Any] = {
    "dag_id": "airline", "dag_display_name": "Airline", "is_paused": False, "is_stale": False,
    "timetable_description": "At 06:00", "timetable_summary": "0 6 * * *", "doc_md": None,
    "next_dagrun_run_after": "2026-01-02T11:00:00Z", "has_import_errors": False,
    "tags": [{"name": "report"}], "relative_fileloc": "airline.py",
}  # fmt: skip
TRACE = """Traceback (most recent call last):
  File "/dags/my_sales.py", line 3, in <module>
reporting.errors.DefinitionError: Report 'sales': title=7; allowed: a text.
"""
BROKEN = {"filename": "my_sales.py", "stack_trace": TRACE, "bundle_name": "dags-folder"}


def documented(schedule: Schedule) -> str:
    return f"# Airline\n\n{schedule_line(schedule)}\n\n**Sources**"


def line(last: RunLine | None = None, **changes: Any) -> ReportLine:
    return line_of(DAG | changes, last)


@dataclass
class Files(AirflowApi):
    """An Airflow that knows one report and one broken file."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    dag: dict[str, Any] = field(default_factory=lambda: DAG)
    may_see: bool = True

    def get(self, path: str, **query: Any) -> dict[str, Any]:  # noqa: ARG002
        if path == "dags":
            return {"dags": [self.dag], "total_entries": 1}
        if path == "importErrors" and not self.may_see:
            raise TerminalError("403 Forbidden")
        if path == "importErrors":
            return {"import_errors": [BROKEN], "total_entries": 1}
        if path == "dags/airline/details":
            return self.dag
        raise NotFoundError(path)


def test_a_schedule_is_read_back_as_it_was_written() -> None:
    words = read_schedule(documented(ENDING))
    assert words is not None
    assert (words.text, words.end) == ("daily at 06:00 America/New_York", "2013-12-31")
    endless = read_schedule(documented(Daily("23:30", "UTC")))
    assert endless is not None
    assert (endless.text, endless.end) == ("daily at 23:30 UTC", None)
    assert read_schedule("") is None


def test_a_monthly_schedule_is_read_back_with_its_last_month() -> None:
    monthly = Monthly("06:00", "Europe/Berlin", date(2013, 1, 1), date(2026, 10, 31), day=3)

    words = read_schedule(documented(monthly))

    assert words is not None
    assert words.text == "monthly on day 3 at 06:00 Europe/Berlin"
    ended = line(doc_md=documented(monthly), next_dagrun_run_after=None)
    assert (ended.schedule, ended.due) == (words.text, "ended 2026-10")


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        ((), "only when somebody triggers it"),
        ((OnSchedule(),), "daily at 06:00 America/New_York"),
        ((UpstreamEvent("loaded", "sales.loaded"),), "when event loaded arrives"),
        (
            (OnSchedule(), UpstreamEvent("loaded")),
            "daily at 06:00 America/New_York; when event loaded arrives",
        ),
    ],
)
def test_the_list_says_what_starts_a_report_in_the_words_of_the_center(
    starts: Sequence[Start], words: str
) -> None:
    report = a_report(schedule=ENDING, starts_on=list(starts))

    told = line(doc_md=report_text(report), timetable_description="Never, external triggers only")

    assert told.schedule == words == start_words(ENDING, starts)


def test_a_title_that_reads_like_a_schedule_is_none() -> None:
    assert read_schedule("# Weekly, on the local day before.\n\nNothing.") is None


def test_list_shows_paused_reports_and_those_that_never_ran() -> None:
    lines = list_lines(
        [line(RunLine("SUCCESS", "2013-01-01", "manual__1")), line(dag_id="b", is_paused=True)]
    )
    due = "2026-01-02 11:00:00 UTC"
    expected = f"airline Airline At 06:00 {due} SUCCESS 2013-01-01 manual__1"
    assert lines[1].split() == expected.split()
    assert "paused" in lines[2]
    assert "never ran" in lines[2]


def test_a_schedule_has_its_zone_and_says_that_it_has_ended() -> None:
    ended = line(doc_md=documented(ENDING), next_dagrun_run_after=None)
    assert ended.schedule == "daily at 06:00 America/New_York"
    assert ended.due == "ended 2013-12-31"
    assert line(doc_md=documented(ENDING)).due == "2026-01-02 11:00:00 UTC"
    assert line(next_dagrun_run_after=None).due == "-"


def test_the_list_ends_with_the_broken_files() -> None:
    text = "\n".join(broken_lines(broken_files(Files())))
    assert "  my_sales.py: DefinitionError: Report 'sales': title=7; allowed: a text." in text


def test_the_list_for_a_program_holds_both() -> None:
    broken = [BrokenFile("x.py", "SyntaxError: x", "...")]
    last = RunLine("SUCCESS", "2013-01-01", "manual__1")
    data = json.loads(list_json([line(last, doc_md=documented(ENDING))], broken))
    assert data["reports"][0]["last_run"]["state"] == "SUCCESS"
    assert data["reports"][0]["ends"] == "2013-12-31"
    assert data["broken_files"] == [{"file": "x.py", "message": "SyntaxError: x"}]


@pytest.mark.parametrize(
    ("trace", "message"),
    [
        (TRACE, "DefinitionError: Report 'sales': title=7; allowed: a text."),
        ("SyntaxError: wrong (a.b.py, line 1)", "SyntaxError: wrong (a.b.py, line 1)"),
        ("x.y.ZError", "ZError"),
        ("", "no reason was left"),
    ],
)  # fmt: skip
def test_the_message_is_the_last_line(trace: str, message: str) -> None:
    assert last_line(trace) == message


@pytest.mark.parametrize("name", ["my_sales", "sales", "my_sales_daily"])
def test_an_unknown_report_may_be_the_broken_file(name: str) -> None:
    with pytest.raises(InputError, match=r"Airflow cannot read my_sales\.py: DefinitionError"):
        report_dag(Files(), name)


@pytest.mark.parametrize("may_see", [True, False])
def test_an_unknown_report_may_be_too_new(may_see: bool) -> None:
    with pytest.raises(InputError, match=r"'other' is unknown.*A new file is not seen at once"):
        report_dag(Files(may_see=may_see), "other")


def test_a_report_whose_file_broke_says_why() -> None:
    dag = {**DAG, "dag_id": "sales", "is_stale": True, "has_import_errors": True}
    with pytest.raises(InputError, match=r"not in force.*title=7"):
        report_dag(Renamed(dag=dag), "sales")


class Renamed(Files):
    """The same with a report of another name."""

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        return self.dag if path == "dags/sales/details" else super().get(path, **query)


def test_an_unknown_run_is_said_in_words() -> None:
    with pytest.raises(InputError, match=r"'airline' has no run 'x'.*reports list"):
        known_run(Files(), "airline", "x")
