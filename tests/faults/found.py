"""What is found once all runs have ended and the janitor has nothing left to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.faults.subject import Figures


@dataclass(frozen=True)
class FoundRun:
    """A run as Airflow knows it.

    Attributes:
        report: its report.
        run_id: its id.
        period: what it reports on.
        state: Airflow's.
        clear_number: how often it was cleared.
        started: when this life began, an ISO instant; empty when it never did.
        duplicate_of: the run that `init` points to, or None.
        under_way: tasks that have not ended.
    """

    report: str
    run_id: str
    period: str
    state: str
    clear_number: int = 0
    started: str = ""
    duplicate_of: str | None = None
    under_way: tuple[str, ...] = ()

    @property
    def life(self) -> tuple[str, int, str]:
        """Which life of which run it is."""
        return self.run_id, self.clear_number, self.started


@dataclass(frozen=True)
class FoundRelease:
    """A release as the warehouse keeps it.

    Attributes:
        report: its report.
        period: what it reports on.
        request_key: the business key.
        life: the life of the run that published it.
        is_current: whether readers see it.
        figures: its rows.
        files: keys of its files.
        lacks_sources: whether it was made without an optional source, and says so.
    """

    report: str
    period: str
    request_key: str
    life: tuple[str, int, str]
    is_current: bool
    figures: Figures
    files: tuple[str, ...] = ()
    lacks_sources: bool = False


@dataclass(frozen=True)
class Alert:
    """A receipt of an alert of a failed life.

    Attributes:
        subject: what it is about, the life included.
        channel: `email` or `slack`.
        is_sent: whether the far side has taken it.
    """

    subject: str
    channel: str
    is_sent: bool


@dataclass(frozen=True)
class Found:
    """All that is found of some reports.

    Attributes:
        runs: all runs.
        releases: all releases.
        closed: lives of runs that were compensated, per report.
        alerts: receipts of alerts.
        channels: by which the reports tell of failures, per report.
        told: how many alerts the channels hold, per channel and run id.
        files: keys of all files of the reports.
        leftovers: what should not be there any more, per kind; each names a run or a period.
    """

    runs: tuple[FoundRun, ...] = ()
    releases: tuple[FoundRelease, ...] = ()
    closed: frozenset[tuple[str, str, int, str]] = frozenset()
    alerts: tuple[Alert, ...] = ()
    channels: Mapping[str, frozenset[str]] = field(default_factory=dict)
    told: Mapping[tuple[str, str], int] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    leftovers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
