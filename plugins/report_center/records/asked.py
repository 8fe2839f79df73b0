"""What somebody asks a report for: checked before a run is made, compared with what there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.definitions import secret_params
from reporting.core.run import Run, RunId, is_same
from reporting.definition.description import schedule_in
from reporting.definition.params import PERIOD, REFRESH, fault_in
from reporting.errors import InputError, choices

if TYPE_CHECKING:
    from report_center.records.runs import RunRow
    from reporting.definition.period import Period

BESIDE = '{name} stands beside params, not in them: {{"{name}": …, "params": {{…}}}}.'


@dataclass(frozen=True)
class Asked:
    """A request for a report.

    Attributes:
        period: period key; None for the last complete one.
        params: the params that were given; the others have their default.
        refresh: whether figures that are published already are to be made again.
    """

    period: str | None
    params: Mapping[str, Any]
    refresh: bool

    @property
    def conf(self) -> dict[str, Any]:
        """The same as Airflow takes it: only what was given."""
        period = {} if self.period is None else {PERIOD: self.period}
        return {**period, **self.params, **({REFRESH: True} if self.refresh else {})}


def check(asked: Asked, definition: Mapping[str, Any], now: datetime) -> None:
    """Refuse what the report's definition does not allow.

    Raises:
        InputError: names every fault: the param, its value and what is allowed.
    """
    faults = faults_in(asked, definition)
    if not faults:
        try:
            period_of(asked.period, definition, now)
        except InputError as error:
            faults = [str(error)]
    if faults:
        raise InputError(" ".join(faults))


def faults_in(asked: Asked, definition: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with names and values, by the schemas of the params."""
    declared = definition["params"]
    allowed = tuple(name for name in declared if name not in (PERIOD, REFRESH))
    unknown = [
        BESIDE.format(name=name)
        if name in (PERIOD, REFRESH)
        else f"Param {name[:40]!r} is unknown; {choices(allowed, name[:40])}"
        for name in asked.params
        if name not in allowed
    ]
    found = (
        fault_in(name, value, declared[name]["schema"])
        for name, value in asked.conf.items()
        if name in declared
    )
    return [*filter(None, found), *unknown]


def period_of(key: str | None, definition: Mapping[str, Any], now: datetime) -> Period:
    """Return the period that was asked for at a moment.

    Raises:
        InputError: it is none, or was not over then.
    """
    schedule = schedule_in(definition)
    return schedule.period_at(now) if key is None else schedule.period_asked_for(key, now)


def request_key(
    asked: Asked, definition: Mapping[str, Any], report: str, now: datetime
) -> str | None:
    """Return the business key (R15): the same period and params make the same key.

    It is None when a secret param was not given: only the report itself knows its default.
    """
    if secret_params(definition) - asked.params.keys():
        return None
    defaults = {
        name: param["default"]
        for name, param in definition["params"].items()
        if name not in (PERIOD, REFRESH)
    }
    params = {**defaults, **asked.params}
    period = period_of(asked.period, definition, now)
    return Run(RunId(report, ""), period, params, is_same(params, defaults)).request_key


def same_run(runs: Sequence[RunRow], key: str, definition: Mapping[str, Any]) -> RunRow | None:
    """Return the run that works on the same request, if one of these does."""
    working = (run for run in runs if not run.is_duplicate)
    return next((run for run in working if key_of(run, definition) == key), None)


def key_of(run: RunRow, definition: Mapping[str, Any]) -> str | None:
    """Return the business key of what a run was asked for; None when nobody can tell."""
    try:
        asked = Asked(run.period, run.asked, refresh=False)
        return request_key(asked, definition, run.report, run.run_after)
    except InputError:  # `init` will refuse it
        return None
