"""The timetable of a report that ends: after its last period nothing is scheduled any more."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from airflow.timetables.interval import CronDataIntervalTimetable

if TYPE_CHECKING:
    from airflow.timetables.base import DagRunInfo, DataInterval, TimeRestriction


class EndingTimetable(CronDataIntervalTimetable):
    """Data intervals by cron up to an end.

    A DAG's own `end_date` would do, but it also keeps the tasks of runs that a person triggers
    today from ever starting.
    """

    def __init__(self, cron: str, timezone: str, end: datetime) -> None:
        """Keep the instant from which on no interval starts."""
        super().__init__(cron, timezone)
        self.fields = {"expression": cron, "timezone": timezone, "end": end.isoformat()}
        self.end = end

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> EndingTimetable:
        """Read what `serialize` wrote."""
        return cls(data["expression"], data["timezone"], datetime.fromisoformat(data["end"]))

    def serialize(self) -> dict[str, Any]:
        """Return plain data."""
        return self.fields

    def next_dagrun_info(
        self,
        *,
        last_automated_data_interval: DataInterval | None,
        restriction: TimeRestriction,
    ) -> DagRunInfo | None:
        """Return the next interval, or None once the end is reached."""
        found = super().next_dagrun_info(
            last_automated_data_interval=last_automated_data_interval, restriction=restriction
        )
        if found is None or found.data_interval is None or found.data_interval.start >= self.end:
            return None
        return found
