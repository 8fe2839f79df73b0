"""The releases that are compared: those which readers see, published not too long ago."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reporting.core.reconcile.difference import Difference
from reporting.core.rerun_text import clear_command
from reporting.core.run import RunId
from reporting.core.states import INIT

if TYPE_CHECKING:
    from datetime import datetime

    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation

# A superseded release cannot be mended: a rerun makes a new one. Staged data that is about to be
# removed is not looked at.
SELECT = """
SELECT r.release_id, r.report, r.period, r.version, r.run_id, r.fingerprint, r.row_counts,
    r.sources, r.files, r.file_facts, r.published_at,
    coalesce(s.keep_until > now() + interval '1 minute', false)
FROM reporting.current_release AS c
JOIN reporting.release AS r USING (release_id)
LEFT JOIN reporting.staged_run AS s ON s.report = r.report AND s.run_id = r.run_id
"""
RECENT = """
WHERE r.published_at > now() - %(days)s * interval '1 day'
    AND (%(report)s::text IS NULL OR r.report = %(report)s)
    AND (%(run_id)s::text IS NULL OR r.run_id = %(run_id)s)
ORDER BY r.release_id DESC
"""


@dataclass(frozen=True)
class Published:
    """A release, with what it says of itself; the columns of `reporting.release`.

    Attributes:
        is_kept: whether what its run has staged is still kept, and the run has ended.
    """

    release_id: int
    report: str
    period: str
    version: int
    run_id: str
    fingerprint: str = field(repr=False)
    row_counts: Mapping[str, int] = field(repr=False)
    sources: Mapping[str, Mapping[str, Any]] = field(repr=False)
    files: Sequence[str] = field(repr=False)
    file_facts: Mapping[str, Mapping[str, Any]] = field(repr=False)
    published_at: datetime = field(repr=False)
    is_kept: bool = field(repr=False)

    @property
    def run(self) -> RunId:
        """The run that published it."""
        return RunId(self.report, self.run_id)

    def named(self, part: str) -> str:
        """Return a part of the release in words."""
        return f"{part} of release {self.release_id} ({self.period}, version {self.version})"

    def differs(self, kind: str, what: str, pair: tuple[str, str], task: str) -> Difference:
        """Return a difference of the release that a person decides on.

        Args:
            kind: which comparison has found it.
            what: what was compared.
            pair: what should be, and what is.
            task: from which task on the run makes it anew.
        """
        expected, found = pair
        advice = self.rerun_from(task)
        return Difference(kind, self.report, self.run_id, what, expected, found, "decide", advice)

    def rerun_from(self, task: str) -> str:
        """Return the command that makes it anew: from a task, or wholly where nothing is staged."""
        first = task if self.is_kept else INIT
        return clear_command("reports", self.report, self.run_id, [first])


def recent_releases(here: Installation, scope: Scope) -> list[Published]:
    """Return the releases in scope, the newest first."""
    asked = {"days": scope.days, "report": scope.report, "run_id": scope.run_id}
    rows = here.places.warehouse.execute(SELECT + RECENT, asked)
    return [Published(*row) for row in rows]


def release_again(here: Installation, release: Published) -> Published | None:
    """Return a release as it is now; None when readers do not see it any more."""
    query = f"{SELECT} WHERE r.release_id = %s"
    row = here.places.warehouse.execute(query.encode(), (release.release_id,)).fetchone()
    return None if row is None else Published(*row)
