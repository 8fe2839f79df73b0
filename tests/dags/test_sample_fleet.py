"""The fleet of the sample report: every flight is counted once, whatever is known of its plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded_stack.layout import CHECKOUT
from reporting.core.arrow import arrow_schema
from tests.dags.conftest import load

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = load(CHECKOUT / "dags" / "airline_on_time.py")
Rows = list[dict[str, Any]]
TAILS = st.none() | st.sampled_from(["N1", "N2", "N3", "N4"])
FLIGHTS = st.lists(st.tuples(TAILS, st.none() | st.integers(-60, 900)))
PLANES = st.dictionaries(
    st.sampled_from(["N1", "N2", "N3"]),
    st.tuples(
        st.none() | st.sampled_from(["BOEING", "AIRBUS"]), st.none() | st.integers(1956, 2020)
    ),
)


def frame(source: str, rows: Rows) -> pd.DataFrame:
    """Return rows of a source as compute gets them."""
    import pandas as pd
    import pyarrow as pa

    (schema,) = (found.schema for found in SAMPLE.report.sources if found.name == source)
    table = pa.Table.from_pylist(rows, schema=arrow_schema(schema))
    found: pd.DataFrame = table.to_pandas(types_mapper=pd.ArrowDtype)
    return found


def fleet(flights: Rows, planes: Rows) -> list[tuple[Any, ...]]:
    table = SAMPLE.fleet(frame("flights", flights), frame("planes", planes), 2013)
    return [tuple(row) for row in table.to_numpy(dtype=object, na_value=None).tolist()]


def flight(tailnum: str | None, arr_delay: int | None) -> dict[str, Any]:
    return {"carrier": "UA", "tailnum": tailnum, "arr_delay": arr_delay}


def plane(tailnum: str, manufacturer: str | None, year: int | None) -> dict[str, Any]:
    return {"tailnum": tailnum, "manufacturer": manufacturer, "year": year}


def test_flights_are_told_by_manufacturer_and_age_youngest_first() -> None:
    planes = [plane("N1", "BOEING", 2000), plane("N2", "BOEING", 2009), plane("N3", "AIRBUS", 2013)]
    flights = [flight("N1", 10), flight("N1", 20), flight("N2", None), flight("N3", -5)]

    assert fleet(flights, planes) == [
        ("AIRBUS", "0 to 4 years", 1, 1, -5.0),
        ("BOEING", "0 to 4 years", 1, 1, None),
        ("BOEING", "10 to 14 years", 2, 1, 15.0),
    ]


def test_what_is_not_known_of_a_plane_is_called_unknown() -> None:
    planes = [plane("N1", "BOEING", None), plane("N2", None, 2010), plane("N3", "PIPER", 2014)]
    flights = [flight(tail, 0) for tail in ("N1", "N2", "N3", "N9", None)]

    assert [row[:4] for row in fleet(flights, planes)] == [
        ("BOEING", "unknown", 1, 1),
        ("PIPER", "unknown", 1, 1),  # built after it flew
        ("unknown", "0 to 4 years", 1, 1),
        ("unknown", "unknown", 2, 1),
    ]


def test_without_planes_all_flights_are_of_unknown_ones() -> None:
    flights = [flight("N1", 1), flight("N1", 3), flight(None, None)]

    assert fleet(flights, []) == [("unknown", "unknown", 3, 1, 2.0)]
    assert fleet([], []) == []


def test_a_plane_that_is_told_twice_doubles_no_flight() -> None:
    twice = [plane("N1", "BOEING", 2000), plane("N1", "AIRBUS", 2000)]
    with pytest.raises(ValueError, match="not a many-to-one merge"):
        fleet([flight("N1", 1)], twice)


@given(FLIGHTS, PLANES)
def test_every_flight_is_counted_once(
    flown: list[tuple[str | None, int | None]],
    known: dict[str, tuple[str | None, int | None]],
) -> None:
    rows = fleet(
        [flight(*each) for each in flown], [plane(tail, *told) for tail, told in known.items()]
    )

    assert sum(row[2] for row in rows) == len(flown)
    assert len({row[:2] for row in rows}) == len(rows)
    assert all(row[0] and row[1] for row in rows)
    # A plane has one manufacturer and one age, so it is in one row.
    assert sum(row[3] for row in rows) == len({tail for tail, _ in flown if tail})
