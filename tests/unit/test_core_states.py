"""The state of a run over every combination of task states it can reach (R3)."""

from __future__ import annotations

from itertools import product

import pytest

from reporting.core.completeness import Expected, outlook_on
from reporting.core.manifest import Manifest, Part
from reporting.core.states import failed_step, is_broken, is_duplicate, state_of

pytestmark = pytest.mark.unit

SOURCES = ["orders", "weather"]
TASKS = ("init", "fetch_orders", "fetch_weather", "await_sources", "compute", "store")
ALLOWED = {
    "INIT", "FETCHING_DATA_ORDERS", "FETCHING_DATA_WEATHER", "DATA_AGGREGATED", "CALCULATING",
    "STORING_RESULT", "SUCCESS", "FAILED", "COMPENSATING",
}  # fmt: skip
STATES = (None, "queued", "running", "up_for_retry", "success", "failed", "upstream_failed")
PROGRESS = ["INIT", "FETCHING_DATA_ORDERS", "FETCHING_DATA_WEATHER", "DATA_AGGREGATED",
            "CALCULATING", "STORING_RESULT", "SUCCESS"]  # fmt: skip


def reachable() -> list[dict[str, str | None]]:
    """Return the combinations in which no task is ahead of what it waits for."""
    found = []
    for states in product(STATES, repeat=len(TASKS)):
        init, orders, weather, wait, compute, store = states
        fetches = (orders, weather)
        if init != "success" and any(s not in (None, "upstream_failed") for s in states[1:]):
            continue
        befores = (init, init, init, wait, compute)
        broken = ("failed", "upstream_failed")
        if any(
            state == "upstream_failed" and before not in broken
            for before, state in zip(befores, states[1:], strict=True)
        ):
            continue
        if wait == "success" and any(f not in ("success", "failed") for f in fetches):
            continue
        if wait != "success" and compute not in (None, "upstream_failed"):
            continue
        if compute != "success" and store not in (None, "upstream_failed"):
            continue
        found.append(dict(zip(TASKS, states, strict=True)))
    return found


REACHABLE = reachable()


def test_there_are_combinations_to_look_at() -> None:
    assert len(REACHABLE) > 300


def test_every_reachable_combination_has_just_one_state_of_r3() -> None:
    got = {state_of("running", tasks, SOURCES) for tasks in REACHABLE}

    assert got == ALLOWED - {"FAILED"}


def test_a_run_that_has_ended_is_what_airflow_says() -> None:
    assert all(state_of("failed", tasks, SOURCES) == "FAILED" for tasks in REACHABLE)
    assert all(state_of("success", tasks, SOURCES) == "SUCCESS" for tasks in REACHABLE)


def test_success_is_shown_just_when_the_pivot_is_passed() -> None:
    for tasks in REACHABLE:
        shown = state_of("running", tasks, SOURCES) == "SUCCESS"
        assert shown == (tasks["store"] == "success")


def test_compensating_is_shown_just_when_the_run_can_no_longer_publish() -> None:
    for tasks in REACHABLE:
        shown = state_of("running", tasks, SOURCES) == "COMPENSATING"
        lost = any(tasks[t] in ("failed", "upstream_failed")
                   for t in ("init", "await_sources", "compute", "store"))  # fmt: skip
        assert shown == lost == is_broken(tasks)


def test_data_is_aggregated_only_when_no_source_is_open() -> None:
    for tasks in REACHABLE:
        if state_of("running", tasks, SOURCES) == "DATA_AGGREGATED":
            fetched = all(tasks[f"fetch_{source}"] == "success" for source in SOURCES)
            assert fetched or tasks["await_sources"] == "success"


def test_a_run_that_goes_well_only_moves_forward() -> None:
    tasks: dict[str, str | None] = dict.fromkeys(TASKS)
    shown = [state_of("running", tasks, SOURCES)]
    for task in TASKS:
        for state in ("scheduled", "queued", "running", "success"):
            tasks[task] = state
            shown.append(state_of("running", tasks, SOURCES))

    assert [PROGRESS.index(state) for state in shown] == sorted(map(PROGRESS.index, shown))
    assert list(dict.fromkeys(shown)) == PROGRESS


def test_a_source_under_way_is_named_before_one_that_failed() -> None:
    tasks = {"init": "success", "fetch_orders": "failed", "fetch_weather": "running"}

    assert state_of("running", tasks, SOURCES) == "FETCHING_DATA_WEATHER"
    assert state_of("running", tasks | {"fetch_weather": "success"}, SOURCES) == (
        "FETCHING_DATA_ORDERS"
    )


def test_a_source_that_the_dag_no_longer_has_is_not_waited_for() -> None:
    tasks = {"init": "success", "fetch_orders": "success", "fetch_weather": "removed"}
    assert state_of("running", tasks, SOURCES) == "DATA_AGGREGATED"


def test_a_cleared_step_is_at_work_again() -> None:
    done: dict[str, str | None] = dict.fromkeys(TASKS, "success")

    cleared: dict[str, str | None] = {"compute": "restarting", "store": None}
    assert state_of("running", done | cleared, SOURCES) == "CALCULATING"
    assert state_of("running", done | {"compute": None, "store": None}, SOURCES) == (
        "DATA_AGGREGATED"
    )


def test_the_failed_step_is_named_whenever_a_task_failed_that_breaks_the_run() -> None:
    for tasks in REACHABLE:
        step = failed_step(tasks)
        assert step is None or tasks[step] == "failed"
        own = [t for t in ("init", "await_sources", "compute", "store") if tasks[t] == "failed"]
        assert (step is not None) >= bool(own)
        if is_broken(tasks) and step is None:
            assert all(state != "failed" for state in tasks.values())


@pytest.mark.parametrize(
    ("changes", "optional", "step"),
    [
        ({}, [], None),
        ({"init": "failed"}, [], "init"),
        ({"fetch_orders": "failed", "await_sources": "failed"}, ["weather"], "fetch_orders"),
        ({"fetch_weather": "failed"}, ["weather"], None),
        ({"fetch_weather": "failed", "compute": "failed"}, ["weather"], "compute"),
        # the optional source failed too, but it was a short required one that broke the run
        ({"fetch_weather": "failed", "await_sources": "failed"}, ["weather"], "await_sources"),
        ({"store": "success", "deliver": "failed"}, [], "deliver"),
        ({"compute": "failed", "compensate": "failed"}, [], "compute"),
    ],
)
def test_the_failed_step_is_the_one_that_broke_the_run(
    changes: dict[str, str], optional: list[str], step: str | None
) -> None:
    assert failed_step(dict.fromkeys(TASKS, "success") | changes, optional) == step


def test_a_duplicate_is_a_run_whose_init_was_skipped() -> None:
    assert is_duplicate({"init": "skipped"})
    assert not is_duplicate({"init": "success"})


def manifest(rows: int) -> Manifest:
    return Manifest("orders", "a", (Part("k", 1, rows, "h"),), (), "", "")


@pytest.mark.parametrize(
    ("state", "rows", "fault"),
    [
        ("success", 3, None),
        ("success", 2, "2 rows; at least 3 are due"),
        ("failed", None, "failed or was killed"),
        ("upstream_failed", None, "failed or was killed"),
        ("skipped", None, "was skipped"),
        ("removed", None, "was removed"),
    ],
)
@pytest.mark.parametrize("required", [True, False])
def test_a_settled_source_is_complete_or_lost_with_the_reason(
    state: str, rows: int | None, fault: str | None, required: bool
) -> None:
    found = None if rows is None else manifest(rows)

    outlook = outlook_on(
        [Expected("orders", required, 3)], {"fetch_orders": state}, {"orders": found}.get
    )

    assert not outlook.pending
    told, silent = (outlook.lost, outlook.missing) if required else (outlook.missing, outlook.lost)
    assert not silent
    assert (fault is None and not told) or str(fault) in told["orders"]


@pytest.mark.parametrize("required", [True, False])
def test_a_source_whose_staged_data_is_gone_is_lost_though_optional(required: bool) -> None:
    """F13: a complete release must not give way to one without a source that never failed."""
    expected = [Expected("orders", required, 0)]

    outlook = outlook_on(expected, {"fetch_orders": "success"}, lambda _: None)

    assert not outlook.missing
    assert "staged data is gone; clear fetch_orders too" in outlook.lost["orders"]


@pytest.mark.parametrize(
    "state", [None, "scheduled", "queued", "running", "up_for_retry", "deferred"]
)
def test_a_source_under_way_is_pending_and_its_manifest_is_not_read(state: str | None) -> None:
    """A manifest of an earlier life must not count for a fetch that runs again."""

    def unread(source: str) -> Manifest | None:
        raise AssertionError(source)

    outlook = outlook_on([Expected("orders", True, 0)], {"fetch_orders": state}, unread)

    assert (outlook.pending, outlook.lost, outlook.missing) == (("orders",), {}, {})
