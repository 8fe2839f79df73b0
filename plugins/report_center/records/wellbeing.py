"""Puts together how the installation is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.health import (
    Backlog,
    Health,
    OverdueRow,
    QueueDepth,
    ReconciliationRow,
)
from report_center.records.overview import last_runs
from report_center.records.reports import reports
from report_center.records.standstill import pool_rows, stalled_steps, under_way
from report_center.records.usual import late_since, usual_seconds
from reporting.core.service.queue_depths import queue_depths
from reporting.queues import DEAD

if TYPE_CHECKING:
    import psycopg
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.reports import ReportRow
    from reporting.core.service.broker import Broker

BACKLOG = """
SELECT count(*), min(last_at) FROM reporting.dead_letter
WHERE state = 'waiting' AND (%(readable)s::text[] IS NULL OR report = ANY(%(readable)s))
"""
SWEPT = "SELECT max(swept_at) FROM reporting.sweep"
RECONCILED = """
SELECT reconciled_at, differences, repaired, unseen FROM reporting.reconciliation
ORDER BY reconciled_at DESC LIMIT 1
"""


@dataclass(frozen=True)
class InWarehouse:
    """What the warehouse knows of the installation."""

    backlog: Backlog | None = None
    swept_at: datetime | None = None
    reconciliation: ReconciliationRow | None = None


def health(
    session: Session,
    elsewhere: Elsewhere,
    now: datetime,
    readable: Collection[str] | None = None,
) -> Health:
    """Return how the installation is, as far as it concerns the reports that may be read.

    Args:
        session: of Airflow's database.
        elsewhere: warehouse and broker.
        now: decides what is late, and what stands still.
        readable: names of the reports that may be read; None for all.
    """
    known = reports(session, readable)
    names = [report.name for report in known]
    counts = under_way(session, names)
    told = elsewhere.warehouse(lambda at: _in_warehouse(at, readable), InWarehouse())
    return Health(
        backlog=told.backlog,
        running=counts.get("running", 0),
        queued=counts.get("queued", 0),
        overdue=tuple(_overdue(session, known, now)),
        stalled=tuple(stalled_steps(session, names, now)),
        swept_at=told.swept_at,
        reconciliation=told.reconciliation,
        queues=elsewhere.broker(lambda at: _depths(at, _queues(known)), None),
        pools=tuple(pool_rows(session)),
        unseen=tuple(elsewhere.unseen),
    )


def _overdue(session: Session, known: Sequence[ReportRow], now: datetime) -> Iterator[OverdueRow]:
    last = {run.report: run for run in last_runs(session, [report.name for report in known])}
    usual = usual_seconds(session, [name for name, run in last.items() if not run.is_over])
    for report in known:
        run = last.get(report.name)
        due_at = late_since(report, run, usual.get(report.name), now)
        if due_at is not None:
            run_id = run.run_id if run is not None and not run.is_over else None
            yield OverdueRow(report.name, report.title, run_id, due_at)


def _in_warehouse(
    warehouse: psycopg.Connection[Any], readable: Collection[str] | None
) -> InWarehouse:
    names = None if readable is None else list(readable)
    count, oldest_at = warehouse.execute(BACKLOG, {"readable": names}).fetchone() or (0, None)
    (swept_at,) = warehouse.execute(SWEPT).fetchone() or (None,)
    row = warehouse.execute(RECONCILED).fetchone()
    reconciled = None if row is None else ReconciliationRow(*row)
    return InWarehouse(Backlog(count, oldest_at), swept_at, reconciled)


def _queues(known: Iterable[ReportRow]) -> list[str]:
    """Return the queues that reports name, and the one of dead letters."""
    named = {queue for report in known for queue in _named(report.definition)}
    return [*sorted(named), DEAD]


def _named(definition: Mapping[str, Any]) -> Iterator[str]:
    for source in definition.get("sources", ()):
        if source["kind"] == "MessageSource":
            yield source["asks"]
    for start in definition.get("starts_on", ()):
        if start.get("queue"):
            yield start["queue"]


def _depths(broker: Broker | None, names: Iterable[str]) -> tuple[QueueDepth, ...]:
    if broker is None:
        return ()
    found = queue_depths(broker, names)
    return tuple(QueueDepth(name, messages) for name, messages in found.items())
