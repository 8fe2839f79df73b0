"""What was decided about failed runs is kept, counted and decided once (R14)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

import psycopg
import pytest

from reporting import RunRetry
from reporting.core.run import RunId
from reporting.core.run_retry import Plan, Policy
from reporting.core.warehouse.reports import known_policy, remember_report
from reporting.core.warehouse.run_retries import (
    beginning,
    decide,
    find_plan,
    give_up,
    goes_before,
    is_janitor_away,
    is_published_since,
    note_sweep,
    period_of,
)
from reporting.core.warehouse.runs import forget_staging, register_staging
from tests.integration.publishing import TWO_TABLES, publish_new, version
from tests.specimens import a_report, a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
NOW = datetime(2024, 5, 2, 6, tzinfo=UTC)
RUN = RunId("sales", "manual__1", 0, "2024-05-02T05:00:00+00:00")


def life(clear_number: int) -> RunId:
    return replace(RUN, clear_number=clear_number, started=f"2024-05-02T0{clear_number}:00:00Z")


def run_again(connection: Connection, run: RunId) -> None:
    decide(connection, run, Plan(goes_before(connection, run), 9, NOW, None))
    with beginning(connection, run) as stands:
        assert stands


def test_the_policy_is_remembered_as_it_is_now(warehouse: Connection) -> None:
    assert known_policy(warehouse, "sales") is None
    remember_report(warehouse, a_report(retry_run=RunRetry(2, timedelta(minutes=1))))
    assert known_policy(warehouse, "sales") == Policy(2, timedelta(minutes=1), "TransientError")
    remember_report(warehouse, a_report())
    assert known_policy(warehouse, "sales") is None


def test_the_janitors_runs_are_counted_from_life_to_life(warehouse: Connection) -> None:
    for number in range(3):
        assert goes_before(warehouse, life(number)) == number
        run_again(warehouse, life(number))
    assert goes_before(warehouse, replace(life(1), run_id="manual__2")) == 0


def test_what_a_person_has_cleared_is_counted_anew(warehouse: Connection) -> None:
    run_again(warehouse, life(0))
    decide(warehouse, life(1), Plan(1, 2, NOW, None))
    assert goes_before(warehouse, life(2)) == 0

    run_again(warehouse, life(2))
    give_up(warehouse, life(2), "it was too late")
    assert goes_before(warehouse, life(3)) == 0


def test_the_first_decision_stands(warehouse: Connection) -> None:
    first = Plan(0, 2, NOW, None)
    assert decide(warehouse, RUN, first) == first
    assert decide(warehouse, RUN, Plan(0, 2, NOW, "no")) == first

    give_up(warehouse, RUN, "it was too late")
    give_up(warehouse, RUN, "for another reason")
    assert find_plan(warehouse, RUN) == replace(first, given_up="it was too late")
    with beginning(warehouse, RUN) as stands:
        assert not stands


def test_a_begun_run_counts_even_if_its_janitor_is_killed(warehouse: Connection) -> None:
    decide(warehouse, RUN, Plan(0, 2, NOW, None))
    with pytest.raises(KeyboardInterrupt), beginning(warehouse, RUN):
        raise KeyboardInterrupt

    assert goes_before(warehouse, replace(RUN, clear_number=1)) == 1


def test_two_janitors_begin_one_after_the_other(database: str, warehouse: Connection) -> None:
    decide(warehouse, RUN, Plan(0, 2, NOW, None))
    barrier = Barrier(2)
    cleared: list[RunId] = []

    def sweep() -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            barrier.wait()
            with beginning(connection, RUN) as stands:
                # Airflow says so of a run that was cleared: its life has ended.
                if stands and not cleared:
                    connection.execute("SELECT pg_sleep(0.2)")
                    cleared.append(RUN)

    janitors = [Thread(target=sweep) for _ in range(2)]
    for janitor in janitors:
        janitor.start()
    for janitor in janitors:
        janitor.join()
    assert len(cleared) == 1


def test_what_another_run_has_published_since_is_seen(warehouse: Connection) -> None:
    run = replace(a_run(), id=replace(RUN, started=datetime.now(UTC).isoformat()))
    register_staging(warehouse, run, timedelta(days=1))
    decide(warehouse, run.id, Plan(0, 2, NOW, None))
    assert not is_published_since(warehouse, run.id)

    publish_new(warehouse, TWO_TABLES, a_run(run_id="manual__2"), version(1, rows=1))
    assert is_published_since(warehouse, run.id)
    later = replace(run.id, started=(datetime.now(UTC) + timedelta(hours=1)).isoformat())
    decide(warehouse, later, Plan(0, 2, NOW, None))
    assert not is_published_since(warehouse, later)


@pytest.mark.parametrize("is_older", [False, True], ids=["planned now", "by an older version"])
def test_what_was_published_since_is_seen_when_the_staged_data_is_gone(
    warehouse: Connection, is_older: bool
) -> None:
    """`keep_staging` may be shorter than the pause before a run is run again."""
    run = replace(a_run(), id=replace(RUN, started=datetime.now(UTC).isoformat()))
    register_staging(warehouse, run, timedelta(days=1))
    decide(warehouse, run.id, Plan(0, 2, NOW, None))
    publish_new(warehouse, TWO_TABLES, a_run(run_id="manual__2"), version(1, rows=1))
    if is_older:  # it has kept this with the staged data only
        warehouse.execute("UPDATE reporting.run_retry SET request_key = NULL, period = NULL")
        assert is_published_since(warehouse, run.id)
        return
    forget_staging(warehouse, run.id)

    assert is_published_since(warehouse, run.id)
    assert period_of(warehouse, run.id) == "2024-05-01"


def test_the_period_of_a_run_that_never_staged_is_unknown(warehouse: Connection) -> None:
    decide(warehouse, RUN, Plan(0, 2, NOW, None))
    assert period_of(warehouse, RUN) is None
    assert not is_published_since(warehouse, RUN)


def test_a_janitor_that_does_not_work_is_not_relied_on(warehouse: Connection) -> None:
    assert is_janitor_away(warehouse)
    note_sweep(warehouse)
    note_sweep(warehouse)
    assert not is_janitor_away(warehouse)
    warehouse.execute("UPDATE reporting.sweep SET swept_at = now() - interval '2 hours'")
    assert is_janitor_away(warehouse)
