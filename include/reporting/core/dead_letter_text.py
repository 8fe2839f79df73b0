"""What an alert says of dead letters: how many wait, what the newest is, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.core.warehouse.dead_letters import Backlog

UNKNOWN = "unknown"


def subject_of(backlog: Backlog) -> str:
    """Return the subject line."""
    return f"Dead letters: {_counted(backlog)} of {_whose(backlog)}"


def text_of(backlog: Backlog) -> str:
    """Return the text."""
    newest = backlog.newest
    number = newest.dead_letter_id
    of_report = f" --report {newest.report}" if newest.report else ""
    lines = [
        f"{_counted(backlog)} of {_whose(backlog)} could not be used and wait for somebody.",
        "",
        f"Newest: dead letter {number}",
        f"Source: {newest.source or UNKNOWN}",
        f"Run:    {newest.run_id or UNKNOWN}",
        f"Tries:  {newest.tries}",
        f"Reason: {newest.reason}",
        "",
        f"To see all:          reports dead-letters{of_report}",
        f"To see this one:     reports dead-letters show {number}",
        f"To send it again:    reports dead-letters replay {number}",
        f"To put it away:      reports dead-letters discard {number}",
    ]
    return "\n".join(lines)


def _counted(backlog: Backlog) -> str:
    return "1 message" if backlog.count == 1 else f"{backlog.count} messages"


def _whose(backlog: Backlog) -> str:
    report = backlog.newest.report
    return f"report {report}" if report else "no known report"
