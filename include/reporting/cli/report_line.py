"""One report in the list: when it runs, when next, and how its last run went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.cli.amounts import NOTHING, moment_text
from reporting.cli.look import Look
from reporting.core.run import split_period
from reporting.core.states import INIT
from reporting.definition.schedule_text import read_schedule

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi


@dataclass(frozen=True)
class LastRun:
    """How the newest run of a report went.

    Attributes:
        state: the one state of R3, with a word on duplicates.
        period: period key, or what was asked for.
        run_id: Airflow's run id.
    """

    state: str
    period: str | None
    run_id: str


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
    last_run: LastRun | None

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
    return line_of(api.get(f"dags/{quote(report, safe='')}/details"), last_run(api, report))


def line_of(dag: Mapping[str, Any], last: LastRun | None) -> ReportLine:
    """Return the line of a DAG as Airflow's API tells its details."""
    words = read_schedule(dag.get("doc_md") or "")
    by_airflow = dag["timetable_description"] or dag["timetable_summary"] or NOTHING
    return ReportLine(
        report=str(dag["dag_id"]),
        title=str(dag["dag_display_name"]),
        schedule=words.text if words else str(by_airflow),
        is_paused=bool(dag["is_paused"]),
        next_run=dag["next_dagrun_run_after"],
        ends=words.end if words else None,
        last_run=last,
    )


def last_run(api: AirflowApi, report: str) -> LastRun | None:
    """Return the newest run of a report, if it ever ran."""
    path = f"dags/{quote(report, safe='')}/dagRuns"
    found = api.get(path, limit=1, order_by="-run_after")["dag_runs"]
    if not found:
        return None
    run_id = str(found[0]["dag_run_id"])
    look = Look(found[0], api.task_states(report, run_id))
    period, _ = split_period(found[0].get("conf") or {})
    if period is None:
        request = api.xcom(report, run_id, INIT)
        period = request["period"] if request else None
    state = f"{look.state} (duplicate)" if look.is_duplicate else look.state
    return LastRun(state, period, run_id)
