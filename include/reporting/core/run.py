"""One run of one report, as every step sees it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from reporting.definition.params import PERIOD, REFRESH
from reporting.definition.period import Period

_SAFE = re.compile(rb"[A-Za-z0-9_-]")


def encode_run_id(run_id: str) -> str:
    """Return the task key: `run_id` with every other byte than A-Z a-z 0-9 _ - as `~XX`."""
    return "".join(
        chr(byte) if _SAFE.match(bytes([byte])) else f"~{byte:02X}" for byte in run_id.encode()
    )


def decode_task_key(task_key: str) -> str:
    """Return the run id that `encode_run_id` made `task_key` of."""
    parts = re.split(r"~([0-9A-F]{2})", task_key)
    raw = b"".join(
        bytes.fromhex(part) if index % 2 else part.encode() for index, part in enumerate(parts)
    )
    return raw.decode()


@dataclass(frozen=True)
class RunId:
    """Which run: enough to find all that belongs to it.

    Attributes:
        report: the report's name, which is also the DAG's.
        run_id: Airflow's run id.
        clear_number: how often tasks of the run were cleared; a rerun is a new life of the run.
        started: when Airflow started this life, an ISO instant. A run id that is used again
            after its run was deleted, as a repeated backfill does, counts its clears anew.
    """

    report: str
    run_id: str
    clear_number: int = 0
    started: str = ""

    @property
    def task_key(self) -> str:
        """The run id as one safe part of an object key."""
        return encode_run_id(self.run_id)

    @property
    def prefix(self) -> str:
        """The key prefix of everything the run stages."""
        return f"{self.report}/{self.task_key}/"

    @property
    def life(self) -> tuple[str, str, int, str]:
        """What tells this life of the run from all others, in the order of the warehouse."""
        return (self.report, self.run_id, self.clear_number, self.started)


@dataclass(frozen=True)
class Run:
    """A run with what it was asked for.

    Attributes:
        id: which run it is.
        period: what it reports on.
        params: every declared param with its value, without `period`.
        is_default: whether all params have their default, so that the result is the report
            everybody reads and not a special cut of it.
    """

    id: RunId
    period: Period
    params: Mapping[str, Any]
    is_default: bool

    @property
    def request_key(self) -> str:
        """The business key (R15): the same period and params make the same key."""
        text = f"{self.period.key} {canonical(self.params)}"
        return f"{self.period.key}-{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    def to_json(self) -> dict[str, Any]:
        """Return plain data for an XCom."""
        return {
            "report": self.id.report,
            "run_id": self.id.run_id,
            "period": self.period.key,
            "start": self.period.start.isoformat(),
            "end": self.period.end.isoformat(),
            "timezone": self.period.timezone,
            "params": dict(self.params),
            "is_default": self.is_default,
        }

    def at(self, clear_number: int) -> Run:
        """Return the same run in the life that `clear_number` names."""
        return replace(self, id=replace(self.id, clear_number=clear_number))


def run_from_json(data: Mapping[str, Any]) -> Run:
    """Read what `Run.to_json` wrote; the clear number is the reader's to add."""
    start, end = (datetime.fromisoformat(data[key]) for key in ("start", "end"))
    period = Period(data["period"], start, end, data["timezone"])
    run_id = RunId(data["report"], data["run_id"])
    return Run(run_id, period, data["params"], data["is_default"])


def split_period(values: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Part the built-in `period` from the declared params; `refresh` is part of no request."""
    rest = {name: value for name, value in values.items() if name not in (PERIOD, REFRESH)}
    return values.get(PERIOD), rest


def canonical(params: Mapping[str, Any]) -> str:
    """Return params as the one JSON text that equal params share: 42 and 42.0 are one number."""
    return json.dumps(_plain(params), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def is_same(left: Mapping[str, Any], right: Mapping[str, Any]) -> bool:
    """Say whether both ask for the same; unlike Python's `==`, 1 and true are not."""
    return canonical(left) == canonical(right)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value
