"""The plans of the fault harness: drawn from a seed, the same each time, all faults among them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.faults.drawing import (
    ACTIONS,
    AFTER_END,
    SERVICE,
    STACK,
    UNDOING,
    draw,
    marker_of,
    points_of,
)
from tests.faults.plan import DEFERRED, END, Action, Moment, StackFault, Strike
from tests.faults.points import BY_NAME, FATAL, HOLD, KILL, POINTS
from tests.faults.samples import SUBJECTS, model, rows_of
from tests.faults.subject import Case, Subject, figures

pytestmark = pytest.mark.unit

SEEDS = st.integers(0, 10**6)
MANY = [draw(SUBJECTS, seed) for seed in range(3000)]


@given(SEEDS)
def test_the_same_seed_gives_the_same_plan_and_tells_it_in_one_line(seed: int) -> None:
    plan = draw(SUBJECTS, seed)

    assert plan == draw(SUBJECTS, seed)
    assert str(plan).startswith(f"seed {seed}: {plan.case.report} {plan.case.period} ")
    assert "\n" not in str(plan)
    assert all(str(fault) in str(plan) for fault in plan.faults)


@given(SEEDS)
def test_a_plan_orders_one_thing_at_a_place_and_only_where_the_task_comes_by(seed: int) -> None:
    plan = draw(SUBJECTS, seed)
    subject = next(one for one in SUBJECTS if one.report == plan.case.report)
    markers = [marker for fault in plan.faults if (marker := marker_of(fault))]

    assert len({marker[:2] for marker in markers}) == len(markers)
    for task, point, what in markers:
        assert BY_NAME[point] in points_of(subject, task)
        assert what in {KILL, FATAL, HOLD, *BY_NAME[point].errors}


@given(SEEDS, st.integers(1, 8999))
def test_seeds_that_are_played_together_have_periods_of_their_own(seed: int, later: int) -> None:
    periods = {one.period(number) for one in SUBJECTS for number in (seed, seed + later)}

    assert len(periods) == 2


def test_every_kind_of_fault_is_drawn() -> None:
    faults = [fault for plan in MANY for fault in plan.faults]
    strikes = {(f.point, f.what) for f in faults if isinstance(f, Strike)}
    services = {(fault.task, fault.what) for plan in MANY for fault in plan.service_faults}
    ways = {task: way for one in SUBJECTS for task, way in one.fetches.items()}

    assert strikes >= {(point.name, what) for point in POINTS for what in (KILL, *point.errors)}
    assert {what for _, what in services} == {
        w for way in ways.values() for w in SERVICE.get(way, ())
    }
    assert {f.what for f in faults if isinstance(f, StackFault)} == set(STACK)
    assert {f.what for f in faults if isinstance(f, Action)} == set(ACTIONS)
    assert {len(plan.faults) for plan in MANY} >= {0, 1, 2, 3}


def test_what_is_undone_has_failed() -> None:
    struck = [plan for plan in MANY if any(s.task == UNDOING for s in plan.strikes)]

    assert struck
    assert all(any(s.what == FATAL for s in plan.strikes) for plan in struck)


def test_a_worker_is_killed_only_where_there_is_one() -> None:
    kills = [fault for plan in MANY for fault in plan.outside if fault.what == "worker"]

    assert kills
    assert all(fault.when.is_held for fault in kills)


def test_only_what_makes_sense_after_the_end_is_done_there() -> None:
    late = {fault.what for plan in MANY for fault in plan.outside if fault.when.point == END}

    assert late == set(AFTER_END)


@pytest.mark.parametrize("point", [END, DEFERRED])
def test_nothing_is_laid_where_no_process_waits(point: str) -> None:
    assert marker_of(Action("delete run", "", Moment("fetch_orders", point))) is None


def test_a_report_of_unknown_sources_is_struck_where_every_fetch_comes_by() -> None:
    subject = Subject("any", {"fetch_a": ""})

    names = {point.name for point in points_of(subject, "fetch_a")}

    assert names == {"held", "part", "before-commit", "after-commit"}


def test_the_model_counts_what_the_sources_hold() -> None:
    case = Case("chaos_drop", "2000-01-02", 7)

    rows, totals = model(case)["rows"], model(case)["totals"]

    assert len(rows) == 14
    assert len(totals) == 2
    assert rows_of(case, "orders") != rows_of(replace(case, period="2000-01-03"), "orders")


def test_figures_do_not_depend_on_the_order_of_rows_but_on_all_else() -> None:
    rows: list[dict[str, Any]] = [{"id": 1, "name": None}, {"id": 2, "name": "NULL"}]

    assert figures({"t": rows}) == figures({"t": rows[::-1]})
    assert figures({"t": rows}) != figures({"t": [*rows, rows[0]]})
    assert figures({"t": rows}) != figures({"t": [rows[0], {"id": 2, "name": None}]})
