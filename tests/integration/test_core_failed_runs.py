"""Which failed runs are still to be settled, in which order, and since when they are looked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.failed_runs import (
    Failure,
    forget_others,
    looks_back_to,
    note_settled,
    note_try,
    unsettled,
)
from reporting.core.warehouse.run_retries import note_sweep
from reporting.core.warehouse.runs import register_staging, start_keeping
from tests.specimens import a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
NOW = datetime(2024, 5, 2, 6, 0, 0, 123456, tzinfo=UTC)
WEEK, DAY = timedelta(days=7), timedelta(days=1)
A, B, C = (Failure("sales", run_id, NOW) for run_id in "abc")


def settled(warehouse: Connection, failure: Failure) -> None:
    note_try(warehouse, failure, NOW)
    note_settled(warehouse, failure)


def test_what_is_settled_is_left_out_until_its_run_fails_again(warehouse: Connection) -> None:
    settled(warehouse, A)
    again = Failure(A.report, A.run_id, NOW + DAY)

    assert unsettled(warehouse, [A, B]) == [B]
    assert unsettled(warehouse, [again]) == [again]
    note_try(warehouse, again, NOW)
    assert unsettled(warehouse, [again]) == [again]
    assert unsettled(warehouse, []) == []


def test_a_settled_run_whose_process_has_taken_up_work_again_is_looked_at(
    warehouse: Connection,
) -> None:
    settled(warehouse, A)
    settled(warehouse, B)
    staging, claiming = a_run("sales", "a"), a_run("sales", "b")
    register_staging(warehouse, staging, DAY)
    assert unsettled(warehouse, [A, B]) == [A]

    start_keeping(warehouse, staging.id)
    take_claim(warehouse, claiming)
    assert unsettled(warehouse, [A, B]) == [B]


def test_what_a_sweep_did_not_reach_comes_first_in_the_next(warehouse: Connection) -> None:
    note_try(warehouse, A, NOW)
    note_try(warehouse, B, NOW - DAY)

    for _ in range(5):
        assert unsettled(warehouse, [A, B, C]) == [C, B, A]


def test_among_those_of_one_sweep_lots_are_drawn(warehouse: Connection) -> None:
    """One request that is never answered does not keep the same others waiting each time."""
    for failure in (A, B, C):
        note_try(warehouse, failure, NOW)

    firsts = {unsettled(warehouse, [A, B, C])[0] for _ in range(100)}
    assert firsts == {A, B, C}


def test_failures_are_looked_for_since_a_week(warehouse: Connection) -> None:
    since = looks_back_to(warehouse, WEEK)

    assert timedelta(0) <= datetime.now(UTC) - WEEK - since < timedelta(minutes=5)
    note_sweep(warehouse)
    settled(warehouse, A)
    assert looks_back_to(warehouse, WEEK) >= since


def test_after_a_long_pause_the_failures_of_the_pause_are_in_sight(warehouse: Connection) -> None:
    note_sweep(warehouse)
    warehouse.execute("UPDATE reporting.sweep SET swept_at = %s", (NOW,))

    assert looks_back_to(warehouse, WEEK) == NOW - WEEK


def test_a_failure_that_is_not_settled_stays_in_sight_however_old(warehouse: Connection) -> None:
    """Such as one whose mail server is away for longer than a week."""
    note_try(warehouse, A, NOW)
    assert looks_back_to(warehouse, WEEK) == NOW

    note_settled(warehouse, A)
    assert looks_back_to(warehouse, WEEK) > NOW


def test_a_run_that_was_cleared_or_deleted_holds_nothing_in_sight(warehouse: Connection) -> None:
    note_try(warehouse, A, NOW)
    settled(warehouse, B)
    forget_others(warehouse, [B, C])

    assert looks_back_to(warehouse, WEEK) > NOW
    assert unsettled(warehouse, [A, B]) == [A]
