"""Finds staged objects and open uploads that belong to no run, and removes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from reporting.core.reconcile.difference import Difference
from reporting.core.reconcile.installation import is_noted, known_reports
from reporting.core.reconcile.stored import counted, lying_under
from reporting.core.reconcile.unnoted import kept_out, run_in
from reporting.core.saga import cancel_unused
from reporting.core.staging import Staging
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation
    from reporting.core.run import RunId

ORPHANED_STAGING = "orphaned staging"
STAGED = re.compile(r"(?P<report>[^/]+)/(?P<task>[\w~-]+)/_?[a-z][a-z0-9_]*/.+", re.ASCII)


def staging_runs(here: Installation, scope: Scope) -> Iterator[RunId]:
    """Yield the runs that have something in the staging bucket, and are not accounted for."""
    connection = here.places.warehouse
    for report in known_reports(connection):
        if scope.report in (None, report):
            keys = (lying.key for lying in lying_under(here.places.staging, f"{report}/"))
            runs = {run for key in keys if (run := run_in(key, STAGED)) is not None}
            covered = (run for run in runs if scope.covers(run.report, run.run_id))
            yield from (run for run in covered if not is_noted(connection, run))


def orphaned_staging(here: Installation, scope: Scope, run: RunId) -> list[Difference]:
    """Return what a run has left that no note of the warehouse and no live run accounts for."""
    return [] if is_noted(here.places.warehouse, run) else _left(here, scope, run)


def remove_staging(here: Installation, scope: Scope, found: Difference) -> None:
    """Remove what a run has left, what it has asked of services first.

    Raises:
        TransientError: a service does not take a request back; its record is needed for that.
    """
    with kept_out(here.places.warehouse, found.run) as is_out:
        if is_out and _left(here, scope, found.run):
            entry = cancel_unused(here.places, found.run)
            if not entry.is_done:
                raise TransientError(entry.outcome)
            Staging(here.places.staging, found.run).discard()


def _left(here: Installation, scope: Scope, run: RunId) -> list[Difference]:
    lying = list(lying_under(here.places.staging, run.prefix))
    if not lying or max(one.since for one in lying) > scope.before:
        return []
    if not here.has_ended(run, scope.before):
        return []
    where = f"{here.places.staging.name}/{run.prefix}"
    expected = "nothing, as the run has ended"
    return [
        Difference(
            ORPHANED_STAGING,
            run.report,
            run.run_id,
            where,
            expected,
            counted(lying),
            "remove",
        )
    ]
