"""Today: every report with its last and next run, on time or late, and its last 30 days."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from report_center.records.reports import ReportRow
    from report_center.records.runs import RunRow

DAYS = 30


@dataclass(frozen=True, slots=True)
class DayDuration:
    """The runs of one report that were due on one day and have ended.

    Attributes:
        day: the day on which they were due, in UTC.
        seconds: mean duration of the successful ones; None when there was none.
        succeeded: how many succeeded; duplicates are not counted.
        failed: how many failed.
    """

    day: date
    seconds: float | None
    succeeded: int
    failed: int


@dataclass(frozen=True, slots=True)
class Took:
    """How long single successful runs took, in seconds.

    Attributes:
        usual: the median.
        longest: the maximum.
    """

    usual: float
    longest: float


@dataclass(frozen=True)
class UnshownRow:
    """The newest version of the newest period, when readers do not see it.

    Attributes:
        why: `rolled_back` when they see an older version of the same, `withdrawn` when nothing.
        version: its version.
        period: its period.
    """

    why: Literal["rolled_back", "withdrawn"]
    version: int
    period: str


@dataclass(frozen=True)
class TodayRow:
    """One report.

    Attributes:
        report: the report.
        last: its newest run; None when it never ran.
        next_at: when the schedule starts it next; None for never, or while it is paused.
        is_late: whether a run that is due has not started, or takes longer than usual.
        expected_end: when the run under way will have ended; None when nobody can tell.
        version: what readers see of the newest period of which they see something; None for
            nothing, or when that cannot be told now.
        period: that period.
        published_at: when that was published.
        success_rate: share of the runs due in the last 30 days that succeeded, 0 to 1; None when
            none has ended. A backfill of earlier periods was due before.
        durations: the days that had such runs, oldest first.
        took: how long these runs took; None when none has succeeded, or it was not asked for.
        unshown: the newest version, when it was rolled back or withdrawn.
    """

    report: ReportRow
    last: RunRow | None
    next_at: datetime | None
    is_late: bool
    expected_end: datetime | None
    version: int | None
    period: str | None
    published_at: datetime | None
    success_rate: float | None
    durations: tuple[DayDuration, ...]
    took: Took | None = None
    unshown: UnshownRow | None = None


@dataclass(frozen=True)
class Today:
    """All reports.

    Attributes:
        rows: by title.
        unseen: what could not be asked, in words.
    """

    rows: tuple[TodayRow, ...]
    unseen: tuple[str, ...]
