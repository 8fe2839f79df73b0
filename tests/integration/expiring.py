"""Ends the time of what a run has staged."""

from __future__ import annotations

from datetime import UTC, datetime

from reporting.core.run import RunId
from reporting.core.saga import Places, discard_expired


def expire(places: Places, run: RunId) -> int | None:
    """Remove what an ended run has staged, as the janitor does once its time is over."""
    places.warehouse.execute(
        "UPDATE reporting.staged_run SET keep_until = now() - interval '1 day' "
        "WHERE report = %s AND run_id = %s",
        (run.report, run.run_id),
    )
    return discard_expired(places, run, datetime.now(UTC), lambda: True)
