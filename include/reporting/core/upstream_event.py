"""An upstream event that was told, and what it asks for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any

from reporting.core.redact import without_secrets
from reporting.definition.fits import got
from reporting.definition.names import is_storable
from reporting.definition.params import PERIOD, checked_params
from reporting.errors import InputError, choices

if TYPE_CHECKING:
    from reporting.definition.period import Period
    from reporting.definition.report import Report

RUN_PREFIX, AGAIN = "event__", "."
FIELDS = ("id", PERIOD, "params")
# Where Airflow notes how an asset was updated, and wraps what a trigger has said.
_FROM_REST, _FROM_TRIGGER, _PAYLOAD = "from_rest_api", "from_trigger", "payload"


@dataclass(frozen=True)
class Happened:
    """One event.

    Attributes:
        name: of the event.
        at: when Airflow noted it.
        told: what was said with it: `id`, `period`, `params`, each as it is needed.
    """

    name: str
    at: datetime
    told: Mapping[str, Any] = field(hash=False)

    @property
    def key(self) -> str:
        """What tells events apart: name and id, or the moment where there is no id."""
        told = self.told.get("id")
        told_apart = self.at.astimezone(UTC).isoformat() if told is None else f"id {told}"
        # Half a character has no bytes; such an id is refused when it is this one's turn.
        raw = f"{self.name} {told_apart}".encode(errors="surrogatepass")
        return hashlib.sha256(raw).hexdigest()[:32]

    @property
    def run_id(self) -> str:
        """The run that is started for this event alone, when it is told first."""
        return RUN_PREFIX + self.key

    def run_ids(self) -> Iterator[str]:
        """Yield names of such runs; the later ones are for when it is told again."""
        yield self.run_id
        yield from (f"{self.run_id}{AGAIN}{number}" for number in count(2))

    def __str__(self) -> str:
        told = self.told.get("id")
        name = "" if told is None else f", id {got(told)}"
        return f"event {self.name!r} of {self.at.isoformat()}{name}"


@dataclass(frozen=True)
class Asked:
    """What an event asks for.

    Attributes:
        period: to report on.
        params: every declared param with its value.
    """

    period: Period
    params: Mapping[str, Any] = field(hash=False)

    @property
    def conf(self) -> dict[str, Any]:
        """The same as a person would ask for it."""
        return {PERIOD: self.period.key, **self.params}


def key_of_run(run_id: str) -> str | None:
    """Return the key of the event for which alone a run was started; None for other runs."""
    if not run_id.startswith(RUN_PREFIX):
        return None
    return run_id.removeprefix(RUN_PREFIX).partition(AGAIN)[0]


def told_with(extra: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return what was said with an event, of what Airflow keeps of it."""
    fields = dict(extra or {})
    if fields.get(_FROM_TRIGGER) is True and isinstance(fields.get(_PAYLOAD), Mapping):
        fields = dict(fields[_PAYLOAD])
    return {name: value for name, value in fields.items() if name != _FROM_REST}


def asked_by(report: Report, event: Happened) -> Asked:
    """Return what the event asks for; what it does not name has its default.

    Raises:
        InputError: it names something unknown or not allowed, or a period that was not over.
    """
    try:
        given = _given(event.told)
        values = checked_params(report.request_params, given)
        asked = values.pop(PERIOD)
        schedule = report.schedule
        period = (
            schedule.period_at(event.at)
            if asked is None
            else schedule.period_asked_for(asked, event.at)
        )
    except InputError as error:
        raise InputError(without_secrets(f"The {event} cannot be run: {error}")) from None
    return Asked(period, values)


def first_of_each(events: Iterable[Happened]) -> list[Happened]:
    """Return the events in order of time, each once however often it was told."""
    found: dict[str, Happened] = {}
    for event in sorted(events, key=lambda event: event.at):
        found.setdefault(event.key, event)
    return list(found.values())


def _given(told: Mapping[str, Any]) -> dict[str, Any]:
    for name in told:
        if name not in FIELDS:
            raise InputError(f"Field {got(name)} is unknown; {choices(FIELDS, str(name))}")
    known_by, params = told.get("id"), told.get("params", {})
    if not isinstance(known_by, str | None) or not is_storable(known_by or ""):
        raise InputError(f"Field 'id' is {got(known_by)}; allowed: a text.")
    if not isinstance(params, Mapping) or PERIOD in params:
        raise InputError(
            f"Field 'params' is {got(params)}; allowed: an object of params, without 'period', "
            "which stands beside it."
        )
    return {PERIOD: told.get(PERIOD), **params}
