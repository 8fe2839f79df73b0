"""The fence at the end of a run: nobody removes what a publish under way is about to name.

A publish locks the note of its run last, right before its commit, and looks only then whether its
files are still there. Who undoes or removes locks the note first. So it either waits and then sees
the release, or the publish waits, misses its files and rolls back. A step that begins waits too, as
it writes the note before it stages.

Locks are taken in one order everywhere: the report, the claim, the note.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from reporting.core.states import STORE
from reporting.core.warehouse.release import find_release, has_release
from reporting.errors import TransientError

if TYPE_CHECKING:
    import psycopg

    from reporting.core.run import RunId
    from reporting.core.states import TaskStates
    from reporting.core.warehouse.release import Release

# What is read after the lock must be what its last holder has committed.
OPEN = """
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
SET LOCAL lock_timeout = '10s'
"""
NOTE = "SELECT FROM reporting.staged_run WHERE report = %s AND run_id = %s FOR UPDATE"
CLAIMS = "SELECT FROM reporting.claim WHERE report = %s AND run_id = %s FOR UPDATE"


def note_held(connection: psycopg.Connection[Any], run: RunId) -> AbstractContextManager[None]:
    """Hold the note of a run in a transaction: a publish of it is over, or has to wait.

    Raises:
        TransientError: a publish, or another clean-up, of the run does not come to an end.
    """
    return _held(connection, run, NOTE)


def claims_held(connection: psycopg.Connection[Any], run: RunId) -> AbstractContextManager[None]:
    """Hold the claims of a run in a transaction: a step of it that begins has to wait.

    Raises:
        TransientError: a publish of the run does not come to an end.
    """
    return _held(connection, run, CLAIMS)


def settled_release(connection: psycopg.Connection[Any], run: RunId) -> Release | None:
    """Return what this life of the run has published, when a publish under way is over."""
    with note_held(connection, run):
        return find_release(connection, run)


def is_published(connection: psycopg.Connection[Any], run: RunId, states: TaskStates) -> bool:
    """Say whether the figures of a failed run are out, and so stay.

    Without a release none are, whatever `store` is: a person may have marked it. When `store` is
    green an older life counts too, because clearing any other task of the run begins a new one.
    """
    if settled_release(connection, run) is not None:
        return True
    return states.get(STORE) == "success" and has_release(connection, run)


@contextmanager
def _held(connection: psycopg.Connection[Any], run: RunId, lock: str) -> Iterator[None]:
    from psycopg.errors import LockNotAvailable

    with connection.transaction():
        connection.execute(OPEN)
        try:
            connection.execute(lock.encode(), (run.report, run.run_id))
        except LockNotAvailable:
            raise TransientError(
                f"Run {run.run_id!r} of {run.report!r} is just being published or cleaned up; "
                "nothing was done about it. It is tried again."
            ) from None
        yield
