"""What the page *Today* shows: every report, those that need somebody first."""

from dataclasses import dataclass
from datetime import date, datetime

from report_center.pages.badges import BAD, BUSY, GOOD, IDLE, LEFT_OUT, SIGNS, Badge, run_badge
from report_center.pages.charts import DayChart, day_chart
from report_center.pages.formats import Formats
from report_center.pages.marks import run_marks
from report_center.pages.schedule_words import end_words, start_words
from report_center.pages.unseen import unseen_texts
from report_center.records.reports import ReportRow
from report_center.records.runs import RunRow
from report_center.records.today import Today, TodayRow, UnshownRow

PAGE = 50


@dataclass(frozen=True)
class TodayLine:
    """One report.

    Attributes:
        report: the report.
        schedule: what starts it, in words.
        zone: its time zone.
        last: its newest run, if any.
        badge: the state of that.
        marks: what that went on without.
        punctuality: whether it is on time.
        next_at: when it runs next.
        expected_end: when the run under way should have ended.
        version: the version that readers see.
        period: the period of that.
        published_at: when that was.
        unshown: why the newest version is another one, in words; None when it is that one.
        success: share of successful runs in words; None when none has ended.
        share: the same in percent, to draw.
        chart: durations by day; None when there is nothing to draw.
        usual: the usual duration in words.
    """

    report: ReportRow
    schedule: str
    zone: str
    last: RunRow | None
    badge: Badge | None
    marks: tuple[Badge, ...]
    punctuality: Badge
    next_at: datetime | None
    expected_end: datetime | None
    version: int | None
    period: str | None
    published_at: datetime | None
    unshown: str | None
    success: str | None
    share: int
    chart: DayChart | None
    usual: str


@dataclass(frozen=True)
class TodayView:
    """The page.

    Attributes:
        reports: how many reports there are.
        running: how many of them run.
        late: how many are late.
        failed: of how many the last run failed.
        asked: what the reader looks for.
        lines: the reports of this page.
        offset: how many reports come before this page.
        next_offset: how many before the next one; None on the last page.
        unseen: what could not be asked, in words.
    """

    reports: int
    running: int
    late: int
    failed: int
    asked: str
    lines: tuple[TodayLine, ...]
    offset: int
    next_offset: int | None
    unseen: tuple[str, ...]


@dataclass(frozen=True)
class Sought:
    """What the reader looks for, and from which report on."""

    text: str = ""
    offset: int = 0

    def fits(self, row: TodayRow) -> bool:
        """Say whether a report is looked for: by title, name, tag or source."""
        report = row.report
        texts = (report.title, report.name, *report.tags, *report.sources)
        return any(self.text.casefold() in text.casefold() for text in texts)

    def found(self, today: Today) -> list[TodayRow]:
        """Return the reports that are looked for, those that need somebody first."""
        return sorted((row for row in today.rows if self.fits(row)), key=_urgency)

    def shown(self, today: Today) -> list[TodayRow]:
        """Return those on the page."""
        return self.found(today)[self.offset : self.offset + PAGE]


def today_view(fmt: Formats, today: Today, sought: Sought, day: date) -> TodayView:
    """Return the page for a day."""
    found, end = sought.found(today), sought.offset + PAGE
    return TodayView(
        reports=len(today.rows),
        running=sum(_is_running(row) for row in today.rows),
        late=sum(row.is_late for row in today.rows),
        failed=sum(_has_failed(row) for row in today.rows),
        asked=sought.text,
        lines=tuple(_line(fmt, row, day) for row in found[sought.offset : end]),
        offset=sought.offset,
        next_offset=end if len(found) > end else None,
        unseen=unseen_texts(fmt.texts, today.unseen),
    )


def _urgency(row: TodayRow) -> int:
    """Return where a report stands; what needs somebody comes first, the order by title stays."""
    urgent = (_has_failed(row), row.is_late, row.report.is_broken, _is_running(row))
    return urgent.index(True) if any(urgent) else len(urgent) + row.report.is_gone


def _is_running(row: TodayRow) -> bool:
    return row.last is not None and not row.last.is_over


def _has_failed(row: TodayRow) -> bool:
    is_gone = row.report.is_gone  # nobody can mend it any more
    return row.last is not None and row.last.state == "FAILED" and not is_gone


def _line(fmt: Formats, row: TodayRow, day: date) -> TodayLine:
    last, took = row.last, row.took
    badge = None
    if last is not None:
        badge = run_badge(fmt.texts, last.state, is_duplicate=last.is_duplicate)
    return TodayLine(
        report=row.report,
        schedule=" · ".join(start_words(fmt.texts, row.report)),
        zone=row.report.timezone,
        last=last,
        badge=badge,
        marks=() if last is None else run_marks(fmt.texts, last),
        punctuality=_punctuality(fmt, row),
        next_at=row.next_at,
        expected_end=row.expected_end if _is_running(row) else None,
        version=row.version,
        period=row.period,
        published_at=row.published_at,
        unshown=_unshown(fmt, row.unshown),
        success=None if row.success_rate is None else fmt.percent(row.success_rate),
        share=round(100 * (row.success_rate or 0)),
        chart=day_chart(fmt, row.durations, took, day) if row.durations else None,
        usual=fmt.texts("today.usual", duration=fmt.duration(took.usual)) if took else "",
    )


def _unshown(fmt: Formats, newest: UnshownRow | None) -> str | None:
    if newest is None:
        return None
    return fmt.texts(f"unshown.{newest.why}", version=newest.version, period=newest.period)


def _punctuality(fmt: Formats, row: TodayRow) -> Badge:
    if row.report.is_gone:
        key, tone = "gone", LEFT_OUT
    elif row.report.is_paused:
        key, tone = "paused", LEFT_OUT
    elif row.is_late:
        key, tone = "is_late", BAD
    elif _is_running(row):
        key, tone = "under_way", BUSY
    elif ended := end_words(fmt.texts, row.report):
        return Badge(LEFT_OUT, SIGNS[LEFT_OUT], ended, "ended")
    elif row.next_at is None:
        key, tone = "by_hand", IDLE
    else:
        key, tone = "on_time", GOOD
    sign = "warn" if key == "is_late" else SIGNS[tone]
    return Badge(tone, sign, fmt.texts(f"today.{key}"), key)
