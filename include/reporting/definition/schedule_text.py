"""What starts a report, in words: also for the command line, which reads a DAG's documentation.

Airflow's API tells the time of a schedule, but neither its zone nor its last period.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.definition.starts import OnSchedule, Start, UpstreamEvent

if TYPE_CHECKING:
    from reporting.definition.schedule import Schedule

BY_HAND = "only when somebody triggers it"
# A title, which stands above it, begins with a hash.
_WRITTEN = re.compile(
    r"^(?P<rhythm>[A-Z].*), on the local \w+ before(?:, until (?P<end>\S+))?\.$", re.MULTILINE
)

_EVENT = re.compile(r"^On the event `([^`]+)`, told by ", re.MULTILINE)


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


def rhythm_words(schedule: Schedule) -> str:
    """Return when a schedule ticks, e.g. `daily at 06:00 Europe/Berlin`."""
    rhythm = schedule.rhythm
    return rhythm[0].lower() + rhythm[1:]


def start_words(schedule: Schedule, starts: Sequence[Start]) -> str:
    """Return what starts a run, e.g. `daily at 06:00 Europe/Berlin; when event loaded arrives`.

    A schedule that starts nothing says no more than what a period is.
    """
    return "; ".join(_words(schedule, start) for start in starts) or BY_HAND


def _words(schedule: Schedule, start: Start) -> str:
    match start:
        case OnSchedule():
            return rhythm_words(schedule)
        case UpstreamEvent():
            return event_words(start.name)


def event_words(name: str) -> str:
    """Return that an event starts it."""
    return f"when event {name} arrives"


def read_starts(documentation: str) -> str:
    """Read from a report's documentation what starts it, as `start_words` says it.

    Nothing where it does not say.
    """
    schedule = read_schedule(documentation)
    words = [] if schedule is None else [schedule.text]
    words += map(event_words, _EVENT.findall(documentation))
    is_by_hand = f"{BY_HAND.capitalize()}." in documentation.splitlines()
    return "; ".join(words) or (BY_HAND if is_by_hand else "")


def read_schedule(documentation: str) -> ScheduleWords | None:
    """Read the sentence that `schedule_line` wrote; None when there is none."""
    found = _WRITTEN.search(documentation)
    if found is None:
        return None
    rhythm = found["rhythm"]
    return ScheduleWords(rhythm[0].lower() + rhythm[1:], found["end"])
