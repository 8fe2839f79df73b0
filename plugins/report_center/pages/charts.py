"""Small charts of 30 days as paths to draw, each with the same in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from report_center.pages.formats import Formats
from report_center.records.today import DAYS, DayDuration, Took

STEP = 6
BAR = 4
HEIGHT = 32
LEAST = 2  # a bar that can still be seen
CROSS = 4


@dataclass(frozen=True)
class DayChart:
    """Durations by day.

    Attributes:
        width: of the drawing, in its own units.
        height: the same.
        bars: path of the days on which all went well: one bar each, as high as its runs were long.
        troubled: path of the bars of days on which a run failed, too.
        crosses: path of a cross for each day on which a run failed.
        words: the same for those who do not see it.
    """

    width: int
    height: int
    bars: str
    troubled: str
    crosses: str
    words: str


def day_chart(
    fmt: Formats, days: Sequence[DayDuration], took: Took | None, today: date
) -> DayChart:
    """Return the chart of the 30 days up to `today`, on which single runs took so long."""
    first = today - timedelta(days=DAYS - 1)
    shown = [day for day in days if first <= day.day <= today]
    longest = max((day.seconds for day in shown if day.seconds), default=0.0)
    good = [day for day in shown if not day.failed]
    bad = [day for day in shown if day.failed]
    return DayChart(
        width=DAYS * STEP,
        height=HEIGHT,
        bars=" ".join(_bar(day, first, longest) for day in good if day.seconds is not None),
        troubled=" ".join(_bar(day, first, longest) for day in bad if day.seconds is not None),
        crosses=" ".join(_cross(day, first) for day in bad),
        words=_words(fmt, shown, took),
    )


def _bar(day: DayDuration, first: date, longest: float) -> str:
    room = HEIGHT - CROSS - LEAST
    high = max(LEAST, round(room * (day.seconds or 0) / longest)) if longest else LEAST
    return f"M{_left(day, first)} {HEIGHT}v-{high}h{BAR}v{high}z"


def _cross(day: DayDuration, first: date) -> str:
    left = _left(day, first)
    return f"M{left} 0l{CROSS} {CROSS}m-{CROSS} 0l{CROSS} -{CROSS}"


def _left(day: DayDuration, first: date) -> int:
    return (day.day - first).days * STEP + 1


def _words(fmt: Formats, days: Sequence[DayDuration], took: Took | None) -> str:
    counts = fmt.texts(
        "chart.counts",
        succeeded=fmt.number(sum(day.succeeded for day in days)),
        failed=fmt.number(sum(day.failed for day in days)),
    )
    if took is None:
        return counts
    usual, longest = fmt.duration(took.usual), fmt.duration(took.longest)
    return f"{fmt.texts('chart.durations', usual=usual, longest=longest)} {counts}"
