"""The published figures of one day, as readers see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from reporting.cli.amounts import NOTHING
from reporting.cli.text_table import aligned
from reporting.core.warehouse.relation import SCHEMA, view_name
from sample_services.demo import REPORT, TABLE

if TYPE_CHECKING:
    import psycopg

HEADERS = (
    "CARRIER", "AIRLINE", "FLIGHTS", "CANCELLED", "DIVERTED", "MEAN DEP DELAY", "LATE DEP",
    "MEAN ARR DELAY", "ARRIVALS", "PUNCTUAL",
)  # fmt: skip
NUMBERS = frozenset(HEADERS[2:])


@dataclass(frozen=True)
class CarrierDay:
    """One row of the view; delays in minutes, None where there was no flight to measure."""

    carrier: str
    airline: str | None
    flights: int
    cancelled: int
    diverted: int
    mean_departure_delay: float | None
    late_departures: int
    mean_arrival_delay: float | None
    arrivals: int
    punctual_arrival_share: float | None

    @property
    def departures(self) -> int:
        """Flights that left the ground."""
        return self.flights - self.cancelled


COLUMNS = tuple(field.name for field in fields(CarrierDay))


def read_figures(connection: psycopg.Connection[Any], period: str) -> tuple[int, list[CarrierDay]]:
    """Return the release that readers see and its rows; 0 when they see none."""
    from psycopg import sql

    statement = sql.SQL("SELECT release_id, {} FROM {} WHERE period = %s ORDER BY carrier").format(
        sql.SQL(", ").join(map(sql.Identifier, COLUMNS)),
        sql.Identifier(SCHEMA, view_name(REPORT, TABLE)),
    )
    rows = connection.execute(statement, (period,)).fetchall()
    return (rows[0][0] if rows else 0, [CarrierDay(*row[1:]) for row in rows])


def total_of(rows: Sequence[CarrierDay]) -> CarrierDay:
    """Return all carriers as one; means and shares weigh each flight the same."""
    return CarrierDay(
        carrier="TOTAL",
        airline=f"{len(rows)} carriers",
        flights=sum(row.flights for row in rows),
        cancelled=sum(row.cancelled for row in rows),
        diverted=sum(row.diverted for row in rows),
        mean_departure_delay=_mean([(r.mean_departure_delay, r.departures) for r in rows]),
        late_departures=sum(row.late_departures for row in rows),
        mean_arrival_delay=_mean([(r.mean_arrival_delay, r.arrivals) for r in rows]),
        arrivals=sum(row.arrivals for row in rows),
        punctual_arrival_share=_mean([(r.punctual_arrival_share, r.arrivals) for r in rows]),
    )


def figure_lines(rows: Sequence[CarrierDay]) -> list[str]:
    """Return the table with its totals."""
    cells = [_cells(row) for row in [*rows, total_of(rows)]]
    return aligned(HEADERS, cells, right=NUMBERS)


def _mean(weighted: Sequence[tuple[float | None, int]]) -> float | None:
    known = [(value, weight) for value, weight in weighted if value is not None]
    weights = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / weights if weights else None


def _cells(row: CarrierDay) -> list[str]:
    return [
        row.carrier,
        row.airline or NOTHING,
        str(row.flights),
        str(row.cancelled),
        str(row.diverted),
        _minutes(row.mean_departure_delay),
        str(row.late_departures),
        _minutes(row.mean_arrival_delay),
        str(row.arrivals),
        NOTHING if row.punctual_arrival_share is None else f"{row.punctual_arrival_share:.1%}",
    ]


def _minutes(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f} min"
