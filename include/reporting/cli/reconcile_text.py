"""Differences as people read them: a line each, and the commands that mend what no rule does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reporting.cli.amounts import NOTHING, count_text
from reporting.cli.dead_letter_text import printable
from reporting.cli.text_table import aligned
from reporting.cli.typed import command

HEADERS = ("DIFFERENCE", "REPORT", "RUN", "WHAT", "EXPECTED", "FOUND", "RULE")
COLUMNS = ("kind", "report", "run_id", "what", "expected", "found", "rule")
DECIDE = "decide"
PROGRAM = "reports "
Difference = Mapping[str, Any]


def table_of(differences: Sequence[Difference]) -> list[str]:
    """Return one line per difference under a line of headers."""
    return aligned(HEADERS, [_cells(one) for one in differences])


def advice_on(differences: Sequence[Difference]) -> list[str]:
    """Return what to do: one command for all that rules repair, and each other command once."""
    by_rule = sum(one["rule"] != DECIDE for one in differences)
    advice = dict.fromkeys(_typed(one["advice"]) for one in differences if one["advice"])
    lines = []
    if by_rule:
        what = count_text(by_rule, "difference")
        lines.append(
            f"The janitor repairs {what} by its rules; at once: {command()} reconcile --repair"
        )
    if advice:
        others = len(differences) - by_rule
        which = "the others" if by_rule else "it" if others == 1 else "them"
        lines += [f"To mend {which}{_made(advice)}:", *(f"  {line}" for line in advice)]
    return lines


def _made(advice: Iterable[str]) -> str:
    clears = f"{command()} clear "
    makes_one = any(line.startswith(clears) for line in advice)
    return " (a cleared run publishes a new version)" if makes_one else ""


def _cells(difference: Difference) -> list[str]:
    return [printable(difference[name] or NOTHING) for name in COLUMNS]


def _typed(advice: str) -> str:
    if advice.startswith(PROGRAM):
        return f"{command()} {advice.removeprefix(PROGRAM)}"
    return advice
