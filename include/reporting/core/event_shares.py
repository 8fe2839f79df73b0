"""Airflow starts one run for all events that came together: which run answers which of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from reporting.core.run import is_same
from reporting.core.upstream_event import Asked, Happened, asked_by
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.definition.report import Report


@dataclass(frozen=True)
class Told:
    """Which events a run answers.

    Attributes:
        keys: of the events.
        at: when the last of them happened, at the latest.
    """

    keys: tuple[str, ...]
    at: datetime


@dataclass(frozen=True)
class Share:
    """What one run answers.

    Attributes:
        asked: what it reports on.
        events: the events that ask for it, the first one first.
    """

    asked: Asked
    events: list[Happened]

    @property
    def told(self) -> Told:
        """Its events, as far as the run that answers them has to know them."""
        keys = tuple(event.key for event in self.events)
        return Told(keys, max(event.at for event in self.events))


@dataclass(frozen=True)
class Shares:
    """Events by what they ask for.

    Attributes:
        asked: one share per period and params, in order of time.
        refused: why an event cannot be run, by event.
    """

    asked: list[Share] = field(default_factory=list)
    refused: dict[Happened, str] = field(default_factory=dict)


def share_out(
    report: Report, events: Iterable[Happened], taken: Mapping[str, str], run_id: str
) -> Shares:
    """Share out what no other run has taken; what the run has taken before comes first.

    Args:
        report: what is asked for.
        events: in order of time, each once.
        taken: the run that answers an event, by the event's key.
        run_id: the run that shares out.
    """
    shares = Shares()
    due = [event for event in events if taken.get(event.key, run_id) == run_id]
    # A run that was cleared reports on the same again.
    for event in sorted(due, key=lambda event: event.key not in taken):
        try:
            _add(shares.asked, event, asked_by(report, event))
        except InputError as error:
            shares.refused[event] = str(error)
    return shares


def _add(shares: list[Share], event: Happened, asked: Asked) -> None:
    for share in shares:
        if is_same(share.asked.conf, asked.conf):
            share.events.append(event)
            return
    shares.append(Share(asked, [event]))
