"""Whether a run that is at work on what an event asks for answers the event, too."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from reporting.core.run import RunId
from reporting.core.warehouse.answer import Ahead, find_ahead, find_worker
from reporting.core.warehouse.claim import release_claims
from reporting.core.warehouse.events import taken_events
from reporting.core.warehouse.runs import register_staging, start_keeping
from tests.specimens import a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
HOLDER, OURS = a_run(run_id="holder"), a_run(run_id="ours")
REPORT = OURS.id.report
BEFORE, AFTER = timedelta(hours=1), -timedelta(hours=1)  # an event's age, for a run of now
KEEP = timedelta(days=1)


def nobody(_: str) -> bool:
    """Say of every run that it still works."""
    return False


@pytest.fixture
def at_work(warehouse: Connection) -> Connection:
    """A warehouse in which the holder has begun to work, and to fetch."""
    assert find_worker(warehouse, HOLDER, nobody) is None
    register_staging(warehouse, HOLDER, KEEP)
    return warehouse


def ahead(warehouse: Connection, age: timedelta) -> Ahead | None:
    return find_ahead(warehouse, OURS, ["a", "b"], age, nobody)


def test_a_run_that_began_after_an_event_answers_it(at_work: Connection) -> None:
    """And is noted as who does, so that the event can be told again when it fails."""
    assert ahead(at_work, BEFORE) == Ahead("holder", answers=True)
    assert taken_events(at_work, REPORT, ["a", "b", "c"]) == {"a": "holder", "b": "holder"}


def test_a_run_that_began_before_an_event_may_have_read_older_data(at_work: Connection) -> None:
    assert ahead(at_work, AFTER) == Ahead("holder", answers=False)
    assert taken_events(at_work, REPORT, ["a"]) == {}

    release_claims(at_work, HOLDER.id)

    assert ahead(at_work, AFTER) is None
    assert find_worker(at_work, HOLDER, nobody) == "ours"


def test_a_run_that_goes_on_with_what_it_had_fetched_answers_nothing_new(
    at_work: Connection,
) -> None:
    """A step of it was cleared: its claim is new, its data is not."""
    at_work.execute("UPDATE reporting.staged_run SET noted_at = now() - interval '2 hours'")
    release_claims(at_work, HOLDER.id)
    start_keeping(at_work, HOLDER.id)
    assert find_worker(at_work, HOLDER, nobody) is None
    register_staging(at_work, HOLDER, KEEP)

    assert ahead(at_work, BEFORE) == Ahead("holder", answers=False)


@pytest.mark.parametrize("lost", ["DELETE FROM", "UPDATE"])
def test_a_run_of_which_it_is_not_known_answers_nothing(at_work: Connection, lost: str) -> None:
    """It has just taken its claim, or was noted by an earlier version of the package."""
    at_work.execute(f"{lost} reporting.staged_run{'' if 'DEL' in lost else ' SET noted_at = NULL'}")

    assert ahead(at_work, BEFORE) == Ahead("holder", answers=False)


def test_a_run_that_has_ended_is_not_waited_for(at_work: Connection) -> None:
    assert find_ahead(at_work, OURS, ["a"], AFTER, lambda run: run == "holder") is None


def test_of_events_at_once_those_that_came_later_are_answered_by_the_first(
    warehouse: Connection,
) -> None:
    """All of them happened before the first has begun."""
    second = a_run(run_id="second")
    assert ahead(warehouse, BEFORE) is None
    register_staging(warehouse, OURS, KEEP)

    assert find_ahead(warehouse, second, ["c"], BEFORE, nobody) == Ahead("ours", answers=True)
    assert ahead(warehouse, BEFORE) is None  # a try of init after a crash
    assert taken_events(warehouse, REPORT, ["c"]) == {"c": "ours"}
    release_claims(warehouse, RunId(REPORT, "ours"))
