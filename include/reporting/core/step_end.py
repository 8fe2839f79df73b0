"""How a step has ended, as metrics and as a notice of what was published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from reporting.core.redact import without_secrets
from reporting.core.states import FETCH_PREFIX

DURATION, ENDED, ROWS, BYTES, TRIES, DROPPED = (
    f"reporting.{name}"
    for name in (
        "step.duration",
        "step.ended",
        "step.rows",
        "step.bytes",
        "step.tries",
        "notices.dropped",
    )
)
AGAIN = "reporting.run.again"


@dataclass(frozen=True)
class Metric:
    """One value for Airflow's metrics.

    Attributes:
        name: of the metric.
        kind: `timing` in milliseconds, `count`, which adds up, or `gauge`.
        value: a number.
        tags: what it is about.
    """

    name: str
    kind: str
    value: float
    tags: Mapping[str, str]


@dataclass(frozen=True)
class StepEnd:
    """A step that has ended.

    Attributes:
        report: name of the report.
        step: the task.
        outcome: `success`, `failed` or `skipped`.
        lasted: since it was started; of one that waited in the triggerer, with the waiting.
        tries: which try it was.
        result: what the step returned.
    """

    report: str
    step: str
    outcome: str
    lasted: timedelta
    tries: int
    result: Mapping[str, Any]

    @property
    def tags(self) -> dict[str, str]:
        """What each metric of the step is tagged with."""
        source = self.step.removeprefix(FETCH_PREFIX)
        named = {"source": source} if source != self.step else {}
        return {"report": self.report, "step": self.step, "outcome": self.outcome, **named}

    def metrics(self) -> list[Metric]:
        """Return the metrics of the step; rows and bytes where it has counted them."""
        tags = self.tags
        found = [
            Metric(DURATION, "timing", self.lasted / timedelta(milliseconds=1), tags),
            Metric(ENDED, "count", 1, tags),
            Metric(TRIES, "gauge", self.tries, tags),
        ]
        for name, key in ((ROWS, "rows"), (BYTES, "bytes")):
            count = _total(self.result.get(key))
            if count is not None:
                found.append(Metric(name, "count", count, tags))
        return found


@dataclass(frozen=True)
class Published:
    """A version that readers see now.

    Attributes:
        title: what people call the report.
        report: its name.
        period: period key.
        version: number of the version.
        rows: per table.
        lasted: since the run was started.
        url: the run's page in Airflow.
    """

    title: str
    report: str
    period: str
    version: int
    rows: Mapping[str, int]
    lasted: timedelta
    url: str

    @property
    def text(self) -> str:
        """The notice; it holds no secret."""
        rows = ", ".join(f"{table} {count:,}" for table, count in self.rows.items())
        return without_secrets(
            f"[published] {self.title} ({self.report}), {self.period}, version {self.version}\n"
            f"Rows: {rows}\nTook: {round(self.lasted.total_seconds())} s\nOpen: {self.url}"
        )


def dropped_metrics(report: str, step: str, dropped: Mapping[str, int]) -> list[Metric]:
    """Return one count per reason for which notices were dropped."""
    return [
        Metric(DROPPED, "count", count, {"report": report, "step": step, "reason": reason})
        for reason, count in dropped.items()
    ]


def _total(count: Any) -> int | None:
    if isinstance(count, Mapping):
        return sum(count.values())
    return count if isinstance(count, int) else None
