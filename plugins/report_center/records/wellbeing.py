"""Puts together how the installation is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.health import (
    Backlog,
    DifferenceRow,
    Health,
    OverdueRow,
    QueueDepth,
    ReconciliationRow,
)
from report_center.records.punctuality import standings
from report_center.records.reports import reports
from report_center.records.standstill import parallelism, pool_rows, stalled_steps, under_way
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
# The whole row as JSON: a warehouse of an earlier version has no such column.
RECONCILED = """
SELECT reconciled_at, differences, repaired, unseen, to_jsonb(r) -> 'found'
FROM reporting.reconciliation AS r ORDER BY reconciled_at DESC LIMIT 1
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
        stalled=tuple(stalled_steps(session, {one.name: one.timezone for one in known}, now)),
        swept_at=told.swept_at,
        reconciliation=told.reconciliation,
        queues=elsewhere.broker(lambda at: _depths(at, _queues(known)), None),
        pools=tuple(pool_rows(session)),
        unseen=tuple(elsewhere.unseen),
        parallelism=parallelism(),
    )


def _overdue(session: Session, known: Sequence[ReportRow], now: datetime) -> Iterator[OverdueRow]:
    stand = standings(session, known, now)
    for report in known:
        late = stand[report.name].late
        if late is not None:
            name, title, zone = report.name, report.title, report.timezone
            yield OverdueRow(name, title, late.run_id, late.since, zone)


def _in_warehouse(
    warehouse: psycopg.Connection[Any], readable: Collection[str] | None
) -> InWarehouse:
    names = None if readable is None else list(readable)
    count, oldest_at = warehouse.execute(BACKLOG, {"readable": names}).fetchone() or (0, None)
    (swept_at,) = warehouse.execute(SWEPT).fetchone() or (None,)
    return InWarehouse(Backlog(count, oldest_at), swept_at, _reconciled(warehouse, readable))


def _reconciled(
    warehouse: psycopg.Connection[Any], readable: Collection[str] | None
) -> ReconciliationRow | None:
    row = warehouse.execute(RECONCILED).fetchone()
    if row is None:
        return None
    at, differences, repaired, unseen, kept = row
    found = tuple(
        DifferenceRow(**one) for one in kept or () if readable is None or one["report"] in readable
    )
    return ReconciliationRow(at, differences, repaired, unseen, found)


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
