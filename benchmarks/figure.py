"""One measured figure, its goal and what it was compared with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Figure:
    """What one benchmark has found.

    Attributes:
        name: what was measured.
        measured: the figure, a median.
        unit: its unit; `x` for a ratio.
        goal: at most this.
        compared_with: the peer and its own figure, measured in the same run.
    """

    name: str
    measured: float
    unit: str
    goal: float
    compared_with: str

    @property
    def met(self) -> bool:
        """Whether the goal is kept."""
        return self.measured <= self.goal


def middle(values: Sequence[float]) -> float:
    """Return the median, rounded to what a noisy machine can tell."""
    return round(median(values), 3)


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as aligned text."""
    rows = [("benchmark", "measured", "goal", "met", "compared with")]
    rows += [
        (f.name, f"{f.measured:g} {f.unit}", f"{f.goal:g} {f.unit}", _word(f), f.compared_with)
        for f in figures
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def write(figures: Sequence[Figure], path: Path) -> None:
    """Write the figures as JSON: name, measured, unit, goal, compared_with, met."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = [{**asdict(figure), "met": figure.met} for figure in figures]
    path.write_text(json.dumps(data, indent=1) + "\n")


def _word(figure: Figure) -> str:
    return "yes" if figure.met else "NO"
