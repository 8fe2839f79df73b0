"""Numbers, sizes, durations and times as people read them in a page."""

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from report_center.pages.texts import Texts

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
# The larger unit in seconds, the smaller one that is told beside it, and the words for both.
SPANS = ((DAY, HOUR, "days"), (HOUR, MINUTE, "hours"), (MINUTE, 1, "minutes"))
KILO = 1000
UNITS = ("B", "kB", "MB", "GB", "TB", "PB")
NOTHING = "\N{EN DASH}"


@dataclass(frozen=True)
class Moment:
    """One instant in the zone of its report.

    Attributes:
        machine: ISO text for `<time datetime>`.
        text: date and time with the short name of the zone.
        short: the same without seconds.
        zone: the zone's full name.
    """

    machine: str
    text: str
    short: str
    zone: str


@dataclass(frozen=True)
class Formats:
    """How values look in one language."""

    texts: Texts

    def number(self, value: float | None) -> str:
        """Return a whole number with separators."""
        return NOTHING if value is None else f"{value:,.0f}"

    def size(self, count: int | None) -> str:
        """Return a number of bytes, e.g. `512 B` or `2.2 MB`."""
        if count is None:
            return NOTHING
        if count < KILO:
            return f"{count} B"
        size, rank = float(count), 0
        while round(size, 1) >= KILO and rank < len(UNITS) - 1:
            size, rank = size / KILO, rank + 1
        return f"{size:,.1f} {UNITS[rank]}"

    def duration(self, seconds: float | None) -> str:
        """Return a length of time in at most two units, e.g. `3.4 s` or `1 h 02 min`."""
        if seconds is None:
            return NOTHING
        if round(seconds, 1) < MINUTE:
            return self.texts("time.seconds", seconds=f"{max(seconds, 0):.1f}")
        whole = round(seconds)
        large, small, key = next(span for span in SPANS if whole >= span[0])
        count, rest = divmod(whole, large)
        if rest < small:
            return self.texts(f"time.{key}", count=f"{count:,}")
        return self.texts(f"time.{key}_and", count=f"{count:,}", rest=f"{rest // small:02}")

    def percent(self, share: float | None) -> str:
        """Return a share; only a whole one is 100 %, and only none at all is 0 %."""
        if share is None:
            return NOTHING
        shown = round(share * 100)
        if share < 1:
            shown = min(shown, 99)
        if share > 0:
            shown = max(shown, 1)
        return f"{shown}%"

    def moment(self, at: datetime | None, timezone: str = "UTC") -> Moment | None:
        """Return an instant in a zone, to the second."""
        if at is None:
            return None
        instant = at if at.tzinfo else at.replace(tzinfo=UTC)
        local = instant.astimezone(zone_of(timezone))
        machine = instant.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        name = _short_zone(local)
        text, short = f"{local:%Y-%m-%d %H:%M:%S} {name}", f"{local:%Y-%m-%d %H:%M} {name}"
        return Moment(machine, text, short, timezone)


def zone_of(name: str) -> ZoneInfo:
    """Return the zone of that name; UTC when this machine knows none such."""
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        return ZoneInfo("UTC")


def _short_zone(local: datetime) -> str:
    """Return `EST`; zones without letters have their distance from UTC."""
    name = local.tzname() or "UTC"
    return name if name[:1].isalpha() else f"UTC{name}"
