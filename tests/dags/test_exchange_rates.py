"""The monthly sample report: exact figures, and a DAG that asks for months."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded_stack.layout import CHECKOUT
from reporting.core.result import result_tables
from tests.dags.conftest import load

if TYPE_CHECKING:
    import pandas as pd

Fixing = tuple[int, str, str]

rates = st.decimals("0.000001", "9999999", places=6)


@cache
def loaded() -> ModuleType:
    """The DAG file, read once."""
    return load(CHECKOUT / "dags" / "exchange_rates.py")


@pytest.fixture
def module() -> ModuleType:
    return loaded()


def frame(*fixings: Fixing) -> pd.DataFrame:
    """Fixings of January 2013 as `Inputs.frame` gives them."""
    import pandas as pd
    import pyarrow as pa

    columns = {
        "date": pa.array([date(2013, 1, day) for day, _, _ in fixings], pa.date32()),
        "currency": pa.array([currency for _, currency, _ in fixings], pa.string()),
        "rate": pa.array([Decimal(rate) for _, _, rate in fixings], pa.decimal128(13, 6)),
    }
    made: pd.DataFrame = pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)
    return made


def computed(module: ModuleType, now: pd.DataFrame, before: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as they are published, in the declared types."""
    found = {"currency_month": module.currency_month(now, before)}
    rows: list[dict[str, Any]] = result_tables(found, module.report)["currency_month"].to_pylist()
    return rows


def test_first_and_last_are_told_by_the_day_and_not_by_the_order(module: ModuleType) -> None:
    now = frame((31, "USD", "1.35"), (2, "USD", "1.3262"), (15, "USD", "1.3000"))

    (row,) = computed(module, now, frame((1, "USD", "1.3194")))

    assert row == {
        "currency": "USD", "fixings": 3, "first_rate": Decimal("1.3262"),
        "last_rate": Decimal("1.35"), "lowest_rate": Decimal("1.3"),
        "highest_rate": Decimal("1.35"), "mean_rate": Decimal("1.325400"),
        "change_percent": Decimal("2.3192"),
    }  # fmt: skip


def test_without_a_rate_before_there_is_no_change_and_without_one_now_no_row(
    module: ModuleType,
) -> None:
    now = frame((1, "ISK", "123.9"), (1, "USD", "1.2"))
    before = frame((1, "RUB", "117.201"), (1, "USD", "1.2"))

    changes = {row["currency"]: row["change_percent"] for row in computed(module, now, before)}

    assert changes == {"ISK": None, "USD": Decimal(0)}


@pytest.mark.parametrize(
    ("pair", "mean"),
    [(("0.000001", "0.000002"), "0.000002"), (("0.000002", "0.000003"), "0.000002")],
)
def test_a_mean_between_two_steps_goes_to_the_even_one(
    module: ModuleType, pair: tuple[str, str], mean: str
) -> None:
    now = frame(*((day, "XXX", rate) for day, rate in enumerate(pair, 1)))

    assert computed(module, now, frame())[0]["mean_rate"] == Decimal(mean)


@given(values=st.lists(rates, min_size=1, max_size=23), before=rates)
def test_mean_and_change_are_the_nearest_there_are(values: list[Decimal], before: Decimal) -> None:
    module = loaded()
    mean = Fraction(sum(map(Fraction, values))) / len(values)
    change = (Fraction(values[-1]) - Fraction(before)) * 100 / Fraction(before)

    assert Fraction(module.mean(values)) == Fraction(round(mean * 10**6), 10**6)
    assert Fraction(module.change(before, values[-1])) == Fraction(round(change * 10**4), 10**4)


def test_the_dag_asks_for_a_month_and_begins_with_one(module: ModuleType) -> None:
    dag = module.dag
    period = dag.params.get_param("period")

    assert period.schema["pattern"] == "^[0-9]{4}-(0[1-9]|1[0-2])$"
    assert "YYYY-MM;" in period.description
    assert dag.start_date == datetime(2012, 12, 31, 23, tzinfo=UTC)
    assert "Monthly on day 1 at 06:00 Europe/Berlin, on the local month before" in dag.doc_md
    assert "until 2025-12." in dag.doc_md
    assert {task.task_id for task in dag.tasks} >= {"fetch_rates", "fetch_previous"}
