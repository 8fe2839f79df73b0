"""The report types Airflow knows, each with the definition its DAG carries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.definitions import definitions
from reporting.core.airflow_names import TAG

if TYPE_CHECKING:
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

UTC_NAME = "UTC"
COLUMNS = (
    "dag_id",
    "dag_display_name",
    "description",
    "is_paused",
    "is_stale",
    "has_import_errors",
    "next_dagrun_create_after",
    "timetable_description",
    "timetable_summary",
)


@dataclass(frozen=True)
class ReportRow:
    """One report type.

    Attributes:
        name: name of the report and of its DAG.
        title: what people call it.
        description: one line on it.
        tags: Airflow tags, without the one that all reports have.
        schedule_words: what starts it, e.g. `daily at 06:00 Europe/Berlin`.
        next_run_at: when the schedule starts it next; None for never.
        is_paused: whether it is switched off.
        is_broken: whether its file has an error now, so that an older definition is in force.
        is_gone: whether its file was removed; what it has run and published is still there.
        timezone: IANA name of its zone.
        sources: names of its sources, in their declared order.
        optional: those it can go on without.
        definition: the definition as plain data, see `reporting.definition.description`; empty
            for a DAG that an earlier version of the package has built.
    """

    name: str
    title: str
    description: str
    tags: tuple[str, ...]
    schedule_words: str
    next_run_at: datetime | None
    is_paused: bool
    is_broken: bool
    is_gone: bool
    timezone: str
    sources: tuple[str, ...]
    optional: tuple[str, ...]
    definition: Mapping[str, Any]

    @property
    def unit(self) -> str:
        """What a period is called: `day` or `month`."""
        return str(self.definition.get("schedule", {}).get("unit", "day"))


def reports(session: Session, readable: Collection[str] | None = None) -> list[ReportRow]:
    """Return the reports that may be read, by title.

    Args:
        session: of Airflow's database.
        readable: names that may be read; None for all.
    """
    return sorted(_rows(session, readable), key=lambda row: (row.title.casefold(), row.name))


def report(session: Session, name: str) -> ReportRow | None:
    """Return one report, or None when there is none of that name."""
    return next(iter(_rows(session, [name])), None)


def is_report() -> Any:
    """Return the condition under which a DAG is a report, also one whose file was removed."""
    from airflow.models.dag import DagModel, DagTag
    from sqlalchemy import select

    tagged = select(DagTag.dag_id).where(DagTag.name == TAG)
    return DagModel.dag_id.in_(tagged)


def _rows(session: Session, readable: Collection[str] | None) -> list[ReportRow]:
    dags = session.execute(_query(readable)).all()
    names = [dag.dag_id for dag in dags]
    known, tags = definitions(session, names), _tags(session, names)
    return [_row(dag, known.get(dag.dag_id, {}), tags.get(dag.dag_id, ())) for dag in dags]


def _query(readable: Collection[str] | None) -> Select[Any]:
    """Return the query of what is shown of DAGs; whole ones take ten times as long to load."""
    from airflow.models.dag import DagModel
    from sqlalchemy import select

    columns: Any = DagModel.__table__.c
    query = select(*(columns[name] for name in COLUMNS)).where(is_report())
    if readable is not None:
        query = query.where(columns.dag_id.in_(sorted(readable)))
    return query


def _tags(session: Session, names: Collection[str]) -> dict[str, list[str]]:
    from airflow.models.dag import DagTag
    from sqlalchemy import select

    query = select(DagTag.dag_id, DagTag.name).where(
        DagTag.dag_id.in_(sorted(names)), DagTag.name != TAG
    )
    found: dict[str, list[str]] = {}
    for name, tag in session.execute(query):
        found.setdefault(name, []).append(tag)
    return found


def _row(dag: Any, definition: Mapping[str, Any], tags: Collection[str]) -> ReportRow:
    schedule = definition.get("schedule", {})
    sources = definition.get("sources", ())
    by_airflow = dag.timetable_description or dag.timetable_summary or ""
    return ReportRow(
        name=dag.dag_id,
        title=dag.dag_display_name or dag.dag_id,
        description=dag.description or "",
        tags=tuple(sorted(tags)),
        schedule_words=definition.get("starts") or schedule.get("words") or by_airflow,
        next_run_at=dag.next_dagrun_create_after,
        is_paused=bool(dag.is_paused),
        is_broken=bool(dag.has_import_errors),
        is_gone=bool(dag.is_stale),
        timezone=schedule.get("timezone", UTC_NAME),
        sources=tuple(source["name"] for source in sources),
        optional=tuple(source["name"] for source in sources if not source["required"]),
        definition=definition,
    )
