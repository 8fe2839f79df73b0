"""A schedule in words: written into a DAG's documentation, and read again by the command line.

Airflow's API tells the time of a schedule, but neither its zone nor its last day.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.definition.period import Daily

_WRITTEN = re.compile(
    r"^Daily at (?P<at>\S+) (?P<zone>\S+), on the local day before(?:, until (?P<end>\S+))?\.$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class ScheduleWords:
    """What a schedule line says.

    Attributes:
        text: when it runs.
        end: last day it reports on, or None when there is no end.
    """

    text: str
    end: date | None


def schedule_line(schedule: Daily) -> str:
    """Return the schedule as one sentence."""
    until = f", until {schedule.end}" if schedule.end else ""
    return f"Daily at {schedule.at} {schedule.timezone}, on the local day before{until}."


def read_schedule(documentation: str) -> ScheduleWords | None:
    """Read the sentence that `schedule_line` wrote; None when there is none."""
    found = _WRITTEN.search(documentation)
    if found is None:
        return None
    end = date.fromisoformat(found["end"]) if found["end"] else None
    return ScheduleWords(f"daily at {found['at']} {found['zone']}", end)
