"""What starts a report, in the reader's words."""

from typing import Any

from report_center.pages.texts import Texts
from report_center.records.reports import ReportRow

BY_SCHEDULE = ({"kind": "schedule"},)


def start_words(texts: Texts, report: ReportRow) -> tuple[str, ...]:
    """Return a phrase per start, e.g. `daily at 06:00 Europe/Berlin`.

    A schedule that starts nothing is not told: it only says what a period is.
    """
    starts = report.definition.get("starts_on", BY_SCHEDULE)
    found = tuple(_phrase(texts, report, start) for start in starts)
    return found or (texts("schedule.by_hand"),)


def is_by_schedule(report: ReportRow) -> bool:
    """Say whether the clock starts it."""
    starts = report.definition.get("starts_on", BY_SCHEDULE)
    return any(start["kind"] == "schedule" for start in starts)


def end_words(texts: Texts, report: ReportRow) -> str | None:
    """Return that the schedule has ended, and with which period; None while it has not."""
    end = report.definition.get("schedule", {}).get("end")
    if not end or report.next_run_at is not None or not is_by_schedule(report):
        return None
    return texts("schedule.ended", period=end)


def _phrase(texts: Texts, report: ReportRow, start: Any) -> str:
    if start["kind"] == "event":
        return texts("schedule.event", name=start["name"])
    told = report.definition.get("schedule", {})
    unit = told.get("unit")
    # Of a definition by an earlier version the day of the month is not known.
    if unit not in ("day", "month") or (unit == "month" and not told.get("day")):
        return str(told.get("words") or report.schedule_words)
    return texts(f"schedule.{unit}", **{name: told.get(name) for name in ("at", "day", "timezone")})
