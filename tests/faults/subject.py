"""A report under test: what the harness has to know of it, whichever report it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

STEPS = ("init", "compute", "store", "deliver")
Figures = Mapping[str, tuple[str, ...]]  # rows per table, each as `row_text` writes it


@dataclass(frozen=True)
class Subject:
    """A report under test.

    Attributes:
        report: its name.
        fetches: per task that fetches, the kind of its source; empty where it does not matter.
        first: the first of its periods; each run gets one of its own.
        days: how many there are.
        sizes: row counts to draw from; a report whose sources are given has none.
    """

    report: str
    fetches: Mapping[str, str]
    first: date = date(2000, 1, 1)
    days: int = 9000
    sizes: tuple[int, ...] = (0,)

    def period(self, seed: int) -> str:
        """Return the period of a run, a day; seeds that follow each other have days that do."""
        return (self.first + timedelta(days=seed % self.days)).isoformat()


@dataclass(frozen=True)
class Case:
    """What a run reports on.

    Attributes:
        report: name of the report.
        period: period key.
        size: how many rows its sources hold.
    """

    report: str
    period: str
    size: int

    @property
    def key(self) -> tuple[str, str]:
        """Report and period."""
        return self.report, self.period


Model = Callable[[Case], Figures]


def row_text(row: Mapping[str, Any]) -> str:
    """Write a row so that equal rows are equal texts, and others are not."""
    return json.dumps(dict(row), sort_keys=True, ensure_ascii=False, default=_exact)


def figures(tables: Mapping[str, Iterable[Mapping[str, Any]]]) -> Figures:
    """Write tables so that they can be compared, whatever the order of their rows."""
    return {name: tuple(sorted(map(row_text, rows))) for name, rows in tables.items()}


def _exact(value: Any) -> str:
    return f"{type(value).__name__} {value}"
