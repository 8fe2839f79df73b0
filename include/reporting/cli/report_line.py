"""One report in the list: when it runs, when next, and how its last run went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.cli.amounts import NOTHING, moment_text
from reporting.cli.run_line import RunLine, read_runs
from reporting.definition.schedule_text import read_schedule, read_starts

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi


@dataclass(frozen=True)
class ReportLine:
    """A report as the list shows it.

    Attributes:
        report: its name.
        title: what people call it.
        schedule: when it runs.
        is_paused: whether it is switched off.
        next_run: when it runs next, None for never.
        ends: key of the last period it reports on, None when there is no end.
        last_run: its newest run, None when it never ran.
    """

    report: str
    title: str
    schedule: str
    is_paused: bool
    next_run: str | None
    ends: str | None
    last_run: RunLine | None

    @property
    def due(self) -> str:
        """When it runs next, or why it does not."""
        if self.is_paused:
            return "paused"
        if self.next_run is None and self.ends is not None:
            return f"ended {self.ends}"
        return moment_text(self.next_run)

    @property
    def cells(self) -> list[str]:
        """Its line of the table."""
        last = self.last_run
        return [
            self.report,
            self.title,
            self.schedule,
            self.due,
            last.state if last else "never ran",
            (last and last.period) or NOTHING,
            last.run_id if last else NOTHING,
        ]


def read_line(api: AirflowApi, report: str) -> ReportLine:
    """Ask Airflow about one report."""
    newest = read_runs(api, report, 1)
    return line_of(api.get(f"dags/{quote(report, safe='')}/details"), newest[0] if newest else None)


def line_of(dag: Mapping[str, Any], last: RunLine | None) -> ReportLine:
    """Return the line of a DAG as Airflow's API tells its details."""
    documentation = dag.get("doc_md") or ""
    words = read_schedule(documentation)
    by_airflow = dag["timetable_description"] or dag["timetable_summary"] or NOTHING
    return ReportLine(
        report=str(dag["dag_id"]),
        title=str(dag["dag_display_name"]),
        schedule=read_starts(documentation) or str(by_airflow),
        is_paused=bool(dag["is_paused"]),
        next_run=dag["next_dagrun_run_after"],
        ends=words.end if words else None,
        last_run=last,
    )
