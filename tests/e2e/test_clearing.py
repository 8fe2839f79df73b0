"""Any task, any group and whole runs, cleared in every way that Airflow offers (R25, F13).

Afterwards a run is green with the figures its sources had when they were fetched, or it has failed
and says which tasks to clear; who does so gets the figures. Readers never see anything else.
"""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from tests.e2e.clears import (
    ADVISED,
    BREAK_COMPUTE,
    BREAK_PRICES,
    EXPIRE,
    MEND,
    REPORT,
    Chain,
    Clear,
    Cleared,
    Step,
)
from tests.e2e.live import Live

FETCHES = ("fetch_orders", "fetch_prices")
TASKS = ("init", *FETCHES, "await_sources", "compute", "store", "deliver", "compensate")
FIRST_DAY = date(2013, 6, 1)


def alone(*tasks: str) -> Clear:
    return Clear(tasks)


def down(*tasks: str, **how: bool) -> Clear:
    return Clear(tasks, {"include_downstream": True, **how})


def up(*tasks: str) -> Clear:
    return Clear(tasks, {"include_upstream": True})


WHOLE, ALL_FAILED, ALL_NEW = (
    Clear((), how) for how in ({}, {"only_failed": True}, {"only_new": True})
)
FAILED_COMPUTE = (BREAK_COMPUTE, down("compute"), MEND)
FAILED_PRICES = (BREAK_PRICES, down("fetch_prices"), MEND)
SCRIPTS: dict[str, tuple[Step, ...]] = {
    "each task alone": (
        *(alone(task) for task in TASKS),
        ALL_FAILED,
        ALL_NEW,
        *(down(task, only_failed=True) for task in TASKS),
    ),
    "each task with what comes after": tuple(
        down(task) for task in ("init", "fetch_orders", "await_sources", "compute", "store")
    ),
    "each task with what comes before": tuple(
        up(task) for task in ("fetch_orders", "compute", "store", "deliver", "compensate")
    ),
    "groups": (
        Clear(("fetch_prices",), {"include_upstream": True, "include_downstream": True}),
        alone(*FETCHES),
        down("await_sources"),
        alone("init", "store"),
        alone("compute", "store", "deliver"),
        down(*FETCHES),
    ),
    "without the step that waits": (
        alone("fetch_orders", "compute", "store", "deliver"),
        ADVISED,
        alone("fetch_orders", "store", "deliver"),
        ADVISED,
        alone("await_sources", "store", "deliver"),
        ADVISED,
        alone("fetch_orders"),
        alone("store"),
        ADVISED,
    ),
    "staged data is gone": (
        EXPIRE,
        alone("deliver"),
        down("compute"),
        ADVISED,
        EXPIRE,
        down("store"),
        ADVISED,
        EXPIRE,
        down("fetch_orders"),
        ADVISED,
    ),
    "compute had failed, no step mends it": (
        BREAK_COMPUTE,
        MEND,
        *(alone(task) for task in TASKS if task != "compute"),
        ADVISED,
    ),
    "compute had failed": (
        WHOLE,
        *FAILED_COMPUTE,
        ALL_FAILED,
        *FAILED_COMPUTE,
        down("compute", only_failed=True),
        *FAILED_COMPUTE,
        up("compute"),
        ADVISED,
    ),
    "compute had failed, in other groups": (
        *FAILED_COMPUTE,
        alone("compute"),
        alone("store"),
        ADVISED,
        *FAILED_COMPUTE,
        up("compensate"),
        ADVISED,
        *FAILED_COMPUTE,
        EXPIRE,
        down("compute"),
        ADVISED,
    ),
    "a source had failed": (
        BREAK_PRICES,
        MEND,
        ALL_FAILED,
        *FAILED_PRICES,
        down("fetch_orders"),
        ADVISED,
        *FAILED_PRICES,
        down("await_sources"),
        alone("compute", "store"),
        ADVISED,
    ),
}
CHAINS = [
    Chain(name, str(FIRST_DAY + timedelta(n)), steps)
    for n, (name, steps) in enumerate(SCRIPTS.items())
]


@pytest.fixture(scope="module")
def cleared(live: Live) -> Cleared:
    """All chains, played; the janitor has settled what no task could."""
    found = Cleared(live, CHAINS)
    found.play()
    live.janitor()
    return found


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain.name.replace(" ", "_"))
def test_f13_figures_are_right_or_the_tasks_to_clear_are_named(
    cleared: Cleared, chain: Chain
) -> None:
    assert chain in cleared.chains
    assert chain.faults == []


def test_no_claim_is_left_and_no_run_is_open(cleared: Cleared) -> None:
    runs = [chain.run_id for chain in CHAINS]
    claims = "SELECT run_id FROM reporting.claim WHERE run_id = ANY(%s)"
    is_open = (
        "SELECT run_id FROM reporting.staged_run WHERE keep_until IS NULL AND run_id = ANY(%s)"
    )
    assert cleared.live.rows(claims, runs) == cleared.live.rows(is_open, runs) == []


def test_the_newest_release_of_each_day_is_the_current_one_and_has_its_files(
    cleared: Cleared,
) -> None:
    days = [chain.day for chain in CHAINS]
    current = cleared.live.rows(
        "SELECT r.period, r.version, r.files FROM reporting.current_release AS c "
        "JOIN reporting.release AS r USING (release_id) "
        "WHERE c.report = %s AND r.period = ANY(%s) ORDER BY r.period",
        REPORT,
        days,
    )
    newest = cleared.live.rows(
        "SELECT period, max(version) FROM reporting.release "
        "WHERE report = %s AND period = ANY(%s) GROUP BY period ORDER BY period",
        REPORT,
        days,
    )
    assert [(period, version) for period, version, _ in current] == newest
    assert [period for period, _ in newest] == days
    kept = cleared.live.keys("reports", f"{REPORT}/")
    assert {key for *_, files in current for key in files} <= set(kept)
