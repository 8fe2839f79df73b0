"""A run that was cleared, or whose id was used again: what is told is of its present life."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC

import psycopg
import pytest

from embedded_stack.stack import Stack
from report_center.records.run_list import one_run
from report_center.records.run_page import run_view
from tests.integration.many_known_runs import OURS, known_runs
from tests.integration.metadata import Metadata

UNDONE = f"""
INSERT INTO reporting.compensation (report, run_id, clear_number, started, step, outcome, is_done)
VALUES ('{OURS}', %s, %s, %s, %s, 'removed', true)
"""


@pytest.fixture(scope="module")
def known(stack: Stack) -> Iterator[Metadata]:
    with known_runs(stack) as found:
        yield found


def started_of(known: Metadata, run_id: str) -> str:
    """Return when the present life of a run has begun, as the warehouse keeps it."""
    with known.looking() as (session, elsewhere):
        run = one_run(session, elsewhere, OURS, run_id)
    assert run is not None
    assert run.started_at is not None
    return run.started_at.astimezone(UTC).isoformat()


def versions_of(known: Metadata, run_id: str) -> tuple[int | None, int | None]:
    """Return the version of a run as a list tells it, and as its own page does."""
    with known.looking() as (session, elsewhere):
        row = one_run(session, elsewhere, OURS, run_id)
        view = run_view(session, elsewhere, OURS, run_id)
    assert row is not None
    assert view is not None
    return row.version, None if view.release is None else view.release.version


def test_a_run_that_is_run_again_whole_starts_from_nothing(known: Metadata) -> None:
    known.execute(
        "UPDATE dag_run SET state = 'queued', clear_number = 1, queued_at = now(), "
        "start_date = NULL, end_date = NULL WHERE run_id = 'run_24'"
    )
    known.execute("UPDATE task_instance SET state = NULL WHERE run_id = 'run_24'")
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        warehouse.execute(UNDONE, ("run_24", 0, "", "fetch"))
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_24")
    assert found is not None
    assert [one.state for one in found.transitions] == ["INIT"]
    assert (found.kept, found.compensated) == ((), ())
    assert {(step.started_at, step.seconds) for step in found.steps} == {(None, None)}
    assert versions_of(known, "run_24") == (None, None)


def test_what_is_told_of_a_run_is_of_its_present_life(known: Metadata) -> None:
    """Its `store` was kept; the way back of an earlier life is not this one's."""
    known.execute("UPDATE dag_run SET clear_number = 1, queued_at = now() WHERE run_id = 'run_28'")
    started = started_of(known, "run_28")
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        warehouse.execute(UNDONE, ("run_28", 1, started, "store"))
        warehouse.execute(UNDONE, ("run_28", 0, started, "fetch"))
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_28")
    assert found is not None
    assert [row.step for row in found.compensated] == ["store"]
    assert found.kept[-1] == "STORING_RESULT"
    assert versions_of(known, "run_28") == (1, 1)


def test_a_release_of_a_run_whose_id_is_used_again_is_not_the_new_runs(known: Metadata) -> None:
    """One that this life has committed before its `store` was killed is."""
    known.execute(
        "UPDATE task_instance SET state = 'failed' WHERE run_id = 'run_32' AND task_id = 'store'"
    )
    assert versions_of(known, "run_32") == (None, None)
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        warehouse.execute(
            "UPDATE reporting.release SET started = %s WHERE run_id = 'run_32'",
            (started_of(known, "run_32"),),
        )
    assert versions_of(known, "run_32") == (1, 1)
