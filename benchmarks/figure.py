"""One measured figure, its goal and what it was compared with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

HEAD = ("benchmark", "measured", "goal", "met", "compared with")


@dataclass(frozen=True)
class Figure:
    """What one benchmark has found.

    Attributes:
        name: what was measured.
        measured: the figure, a median.
        unit: its unit; `x` for a ratio.
        goal: at most this, or at least.
        compared_with: the peer and its own figure, measured in the same run.
        at_least: whether the goal is the least that will do instead of the most.
    """

    name: str
    measured: float
    unit: str
    goal: float
    compared_with: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the goal is kept."""
        return self.measured >= self.goal if self.at_least else self.measured <= self.goal

    @property
    def cells(self) -> tuple[str, ...]:
        """The figure as the cells of a row below `HEAD`."""
        goal = f"{'≥' if self.at_least else '≤'} {self.goal:g} {self.unit}"
        word = "yes" if self.met else "NO"
        return self.name, f"{self.measured:g} {self.unit}", goal, word, self.compared_with


def middle(values: Sequence[float]) -> float:
    """Return the median, rounded to what a noisy machine can tell."""
    return round(median(values), 3)


def ratio(measured: float, other: float) -> float:
    """Return how many times `other` goes into `measured`."""
    return round(measured / other, 2)


def times_quicker(what: str, peer: str, times: float, goal: float, compared_with: str) -> Figure:
    """Return how many times quicker than a peer we are, which is to be at least the goal."""
    name = f"{what}: how many times quicker than {peer}"
    return Figure(name, round(times, 2), "x", goal, compared_with, at_least=True)


def table(figures: Sequence[Figure]) -> str:
    """Return the figures as aligned text."""
    rows = [HEAD, *(figure.cells for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def write(figures: Sequence[Figure], path: Path) -> None:
    """Write the figures as JSON: all fields, and whether the goal is met."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = [{**asdict(figure), "met": figure.met} for figure in figures]
    path.write_text(json.dumps(data, indent=1) + "\n")
