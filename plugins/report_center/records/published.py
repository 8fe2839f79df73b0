"""Which release a run has published, by its life: one rule for lists and for the run itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any, NamedTuple

from reporting.core.run import RunId
from reporting.core.states import STORE
from reporting.core.warehouse.release import quarantined_in

if TYPE_CHECKING:
    import psycopg

    from report_center.records.runs import RunRow

# A `store` that has succeeded was this life's, or was kept when other steps were cleared; one
# that was killed after its commit left a release of this very life.
OF_RUNS = """
SELECT DISTINCT ON (report, run_id) report, run_id, release_id, version, missing, sources
FROM reporting.release
JOIN unnest(%s::text[], %s::text[], %s::integer[], %s::text[], %s::boolean[])
    AS wanted (report, run_id, life, began, has_stored) USING (report, run_id)
WHERE has_stored OR (clear_number = life AND started = began)
ORDER BY report, run_id, release_id DESC
"""
NEVER_STORED = (None, "upstream_failed", "skipped", "removed")


class Published(NamedTuple):
    """A release of a run.

    Attributes:
        release_id: unique in the warehouse.
        version: its version among those of the same period and params.
        missing: optional sources it was made without.
        set_aside: how many rows did not fit and were set aside.
    """

    release_id: int
    version: int
    missing: tuple[str, ...]
    set_aside: int


def life_of(run: RunRow) -> RunId:
    """Return which life of the run this is."""
    begun = run.started_at
    started = begun.astimezone(UTC).isoformat() if begun else ""
    return RunId(run.report, run.run_id, run.clear_number, started)


def may_have_published(run: RunRow) -> bool:
    """Say whether the warehouse is worth asking: the run came as far as `store`."""
    return run.steps.get(STORE) not in NEVER_STORED


def published_by(
    warehouse: psycopg.Connection[Any], runs: Sequence[RunRow]
) -> Mapping[tuple[str, str], Published]:
    """Return what the runs have published last, by report and run id: one query."""
    lives = [life_of(run) for run in runs]
    found = warehouse.execute(
        OF_RUNS,
        (
            [life.report for life in lives],
            [life.run_id for life in lives],
            [life.clear_number for life in lives],
            [life.started for life in lives],
            [run.steps.get(STORE) == "success" for run in runs],
        ),
    )
    return {
        (report, run_id): Published(
            number, version, tuple(missing), sum(quarantined_in(sources).values())
        )
        for report, run_id, number, version, missing, sources in found
    }
