"""Times, sizes and counts as people read them."""

from __future__ import annotations

from datetime import UTC, datetime

NOTHING = "-"
MINUTE = 60
HOUR = 3600
KILO = 1000


def seconds_text(seconds: float | None) -> str:
    """Return a duration, e.g. `3.4 s`, `2 min 05 s` or `1 h 02 min`."""
    if seconds is None:
        return NOTHING
    if round(seconds, 1) < MINUTE:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE:02} s"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE:02} min"


def size_text(count: int) -> str:
    """Return a number of bytes, e.g. `512 B` or `2.2 kB`."""
    size, unit = float(count), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if size < KILO:
            break
        size, unit = size / KILO, larger
    return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"


def count_text(count: int, noun: str) -> str:
    """Return a count with its noun, e.g. `1 row` or `1,204 rows`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def moment_text(moment: str | None) -> str:
    """Return an instant of Airflow's API in UTC, to the second."""
    if moment is None:
        return NOTHING
    return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
