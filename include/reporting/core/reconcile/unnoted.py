"""Runs that the warehouse does not account for: found by their keys, and kept from starting."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reporting.core.run import RunId, decode_task_key

if TYPE_CHECKING:
    import psycopg

NOTE = """
INSERT INTO reporting.staged_run (report, run_id, request_key, period, keep_seconds)
VALUES (%s, %s, '', '', 0) ON CONFLICT DO NOTHING
"""


def run_in(key: str, shape: re.Pattern[str]) -> RunId | None:
    """Return the run to which an object belongs; None when its key is none that a run makes.

    Args:
        key: object key.
        shape: of the keys that runs make, with the groups `report` and `task`.
    """
    found = shape.fullmatch(key)
    if found is None:
        return None
    try:
        run = RunId(found["report"], decode_task_key(found["task"]))
    except UnicodeDecodeError:
        return None
    return run if run.task_key == found["task"] else None


@contextmanager
def kept_out(connection: psycopg.Connection[Any], run: RunId) -> Iterator[bool]:
    """Keep a run from staging anything in the block; yield False when it stages already.

    Every step notes its run before it stages. While a note of the same run is written here, and
    not committed, the step waits for its turn; so does another clean-up. The note is never kept.
    """
    with connection.transaction(force_rollback=True):
        yield connection.execute(NOTE, (run.report, run.run_id)).rowcount == 1
