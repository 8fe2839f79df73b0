"""A schedule in words: written into a DAG's documentation, and read again by the command line.

Airflow's API tells the time of a schedule, but neither its zone nor its last period.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.definition.schedule import Schedule

# A title, which stands above it, begins with a hash.
_WRITTEN = re.compile(
    r"^(?P<rhythm>[A-Z].*), on the local \w+ before(?:, until (?P<end>\S+))?\.$", re.MULTILINE
)


@dataclass(frozen=True)
class ScheduleWords:
    """What a schedule line says.

    Attributes:
        text: when it runs.
        end: key of the last period it reports on, or None when there is no end.
    """

    text: str
    end: str | None


def schedule_line(schedule: Schedule) -> str:
    """Return the schedule as one sentence."""
    until = f", until {schedule.key_of_day(schedule.end)}" if schedule.end else ""
    return f"{schedule.rhythm}, on the local {schedule.unit} before{until}."


def read_schedule(documentation: str) -> ScheduleWords | None:
    """Read the sentence that `schedule_line` wrote; None when there is none."""
    found = _WRITTEN.search(documentation)
    if found is None:
        return None
    rhythm = found["rhythm"]
    return ScheduleWords(rhythm[0].lower() + rhythm[1:], found["end"])
