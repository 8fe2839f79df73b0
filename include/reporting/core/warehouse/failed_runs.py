"""Which failed runs the janitor has settled, and when it last set about the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

# A failure stays in sight until it is settled, and those since the janitor was last at work do.
FROM = """
SELECT least(
    now() - %(usual)s,
    (SELECT swept_at - %(usual)s FROM reporting.sweep),
    (SELECT min(ended_at) FROM reporting.failed_run WHERE NOT is_settled)
)
"""
LISTED = """
unnest(%(reports)s::text[], %(run_ids)s::text[], %(ended)s::timestamptz[])
AS listed (report, run_id, ended_at)
"""
# A process that outlived its run may have taken up work again. Lots are drawn among those of one
# sweep: a request that is never answered must not keep the same others waiting each time.
UNSETTLED = f"""
SELECT listed.* FROM {LISTED}
LEFT JOIN reporting.failed_run AS known USING (report, run_id, ended_at)
WHERE known.is_settled IS NOT TRUE
    OR EXISTS (SELECT FROM reporting.staged_run AS s
        WHERE s.report = listed.report AND s.run_id = listed.run_id AND s.keep_until IS NULL)
    OR EXISTS (SELECT FROM reporting.claim AS c
        WHERE c.report = listed.report AND c.run_id = listed.run_id)
ORDER BY known.tried_at NULLS FIRST, random()
"""  # noqa: S608 - of constants
FORGET = f"""
DELETE FROM reporting.failed_run AS known WHERE NOT EXISTS (SELECT FROM {LISTED}
    WHERE listed.report = known.report AND listed.run_id = known.run_id
    AND listed.ended_at = known.ended_at)
"""  # noqa: S608 - of constants
TRY = """
INSERT INTO reporting.failed_run (report, run_id, ended_at, tried_at, is_settled)
VALUES (%s, %s, %s, %s, false) ON CONFLICT (report, run_id) DO UPDATE
SET ended_at = excluded.ended_at, tried_at = excluded.tried_at, is_settled = false
"""
SETTLE = """
UPDATE reporting.failed_run SET is_settled = true
WHERE report = %s AND run_id = %s AND ended_at = %s
"""


@dataclass(frozen=True)
class Failure:
    """A failure of a run.

    Attributes:
        report: report name.
        run_id: Airflow's run id.
        ended_at: when the run failed; one that is cleared and fails again is another failure.
    """

    report: str
    run_id: str
    ended_at: datetime

    @property
    def key(self) -> tuple[str, str, datetime]:
        """What makes the failure unique."""
        return (self.report, self.run_id, self.ended_at)


def looks_back_to(connection: psycopg.Connection[Any], usual: timedelta) -> datetime:
    """Return since when failures are to be looked at.

    Args:
        connection: the warehouse.
        usual: how far back at least: from now, and from the end of the last sweep.
    """
    row = connection.execute(FROM, {"usual": usual}).fetchone()
    assert row is not None  # noqa: S101 - such a query has one row
    since: datetime = row[0]
    return since


def unsettled(connection: psycopg.Connection[Any], failures: Sequence[Failure]) -> list[Failure]:
    """Return those that are not settled, or whose run is open again; the last tried come last."""
    rows = connection.execute(UNSETTLED, _listed(failures)).fetchall()
    return [Failure(*row) for row in rows]


def forget_others(connection: psycopg.Connection[Any], failures: Sequence[Failure]) -> None:
    """Forget all but these: their runs were cleared or deleted, or are out of sight."""
    connection.execute(FORGET, _listed(failures))


def note_try(connection: psycopg.Connection[Any], failure: Failure, sweep: datetime) -> None:
    """Note that a sweep, named by when it began, sets about a failure."""
    connection.execute(TRY, (*failure.key, sweep))


def note_settled(connection: psycopg.Connection[Any], failure: Failure) -> None:
    """Note that nothing of a failure is left to undo, to run again or to tell."""
    connection.execute(SETTLE, failure.key)


def _listed(failures: Sequence[Failure]) -> dict[str, Any]:
    return {
        "reports": [failure.report for failure in failures],
        "run_ids": [failure.run_id for failure in failures],
        "ended": [failure.ended_at for failure in failures],
    }
