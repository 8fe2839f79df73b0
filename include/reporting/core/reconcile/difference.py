"""A difference: what is not as it should be, and what is done about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from reporting.core.run import RunId

Rule = Literal["remove", "release", "cancel", "undo", "decide"]
DAYS = 7
MOST_DAYS = 3650
# What has just ended is being cleaned up by whoever has ended it, or by the janitor's next sweep.
GRACE = timedelta(hours=1)


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it should be.

    Attributes:
        kind: which comparison has found it, such as `published rows`.
        report: whose it is; None when no report is known.
        run_id: Airflow run it belongs to, if it is known.
        what: what was compared: a table of a release, a file, a claim.
        expected: what should be.
        found: what is.
        rule: what the janitor does: `remove`, `release`, `cancel` or `undo`; `decide` leaves it
            to a person.
        advice: the command by which a person mends it; empty where a rule repairs it.
    """

    kind: str
    report: str | None
    run_id: str | None
    what: str
    expected: str
    found: str
    rule: Rule
    advice: str = ""

    @property
    def is_repairable(self) -> bool:
        """Whether a rule says how to repair it."""
        return self.rule != "decide"

    @property
    def run(self) -> RunId:
        """The run it belongs to; only of one for which a run is known."""
        if self.report is None or self.run_id is None:
            raise ValueError(f"{self.kind}: {self.what} belongs to no known run")
        return RunId(self.report, self.run_id)


@dataclass(frozen=True)
class Scope:
    """What is compared.

    Attributes:
        report: only of this report.
        run_id: only of this Airflow run.
        days: releases published within so many days.
        grace: what has ended, or was written, within this time is let be.
    """

    report: str | None = None
    run_id: str | None = None
    days: int = DAYS
    grace: timedelta = GRACE

    @property
    def before(self) -> datetime:
        """The instant before which a thing must have ended to be looked at."""
        return datetime.now(UTC) - self.grace

    @property
    def is_everything(self) -> bool:
        """Whether it covers also what belongs to no report."""
        return self.report is None and self.run_id is None

    def covers(self, report: str, run_id: str) -> bool:
        """Say whether a run is in it."""
        return self.report in (None, report) and self.run_id in (None, run_id)


@dataclass(frozen=True)
class Findings:
    """What a pass has found.

    Attributes:
        differences: each was seen twice.
        unseen: what could not be looked at, or repaired, with the reason.
    """

    differences: Sequence[Difference]
    unseen: Sequence[str]
