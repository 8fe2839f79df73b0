"""Finds claims of runs that have ended, and gives them up."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reporting.core.reconcile.difference import Difference
from reporting.core.run import RunId

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation

CLAIM = "claim"
SELECT = "SELECT report, run_id, request_key, taken_at FROM reporting.claim"
# A run that works again has taken its claim anew, so that the moment is another one.
SAME = "WHERE report = %s AND run_id = %s AND request_key = %s AND taken_at = %s"


@dataclass(frozen=True)
class Claim:
    """A row of `reporting.claim`."""

    run: RunId
    request_key: str
    taken_at: datetime


def claims(here: Installation, scope: Scope) -> list[Claim]:
    """Return all claims in scope."""
    rows = here.places.warehouse.execute(f"{SELECT} ORDER BY taken_at".encode()).fetchall()
    return [Claim(RunId(*row[:2]), *row[2:]) for row in rows if scope.covers(*row[:2])]


def claims_of_ended(here: Installation, scope: Scope, claim: Claim) -> list[Difference]:
    """Return a claim whose run has ended, or is gone."""
    if claim.taken_at > scope.before or not here.has_ended(claim.run, scope.before):
        return []
    key = (claim.run.report, claim.run.run_id, claim.request_key, claim.taken_at)
    if here.places.warehouse.execute(f"{SELECT} {SAME}".encode(), key).fetchone() is None:
        return []
    since = claim.taken_at.astimezone(UTC)
    what, found = f"claim on {claim.request_key}", f"held since {since:%Y-%m-%d %H:%M:%S} UTC"
    expected = "given up, as the run has ended"
    report, run_id = claim.run.report, claim.run.run_id
    return [Difference(CLAIM, report, run_id, what, expected, found, "release")]


def release_claim(here: Installation, scope: Scope, found: Difference) -> None:
    """Give up the claims of a run, unless it works again."""
    before = scope.before
    if here.has_ended(found.run, before):
        here.places.warehouse.execute(
            "DELETE FROM reporting.claim WHERE report = %s AND run_id = %s AND taken_at <= %s",
            (found.report, found.run_id, before),
        )
