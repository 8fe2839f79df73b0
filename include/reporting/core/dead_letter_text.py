"""What an alert says of dead letters: how many wait, what the newest is, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.core.warehouse.dead_letters import Backlog, DeadLetter

UNKNOWN = "unknown"
COMES_BACK = (
    "                     It comes back, with one try more, if it makes no sense still:\n"
    "                     then tell the event anew, and put this one away."
)


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
        *_whatever_for(newest),
        f"Tries:  {newest.tries}",
        f"Reason: {newest.reason}",
        "",
        f"To see all:          reports dead-letters{of_report}",
        f"To see this one:     reports dead-letters show {number}",
        *_sending_again(newest),
        f"To put it away:      reports dead-letters discard {number}",
    ]
    return "\n".join(lines)


def _counted(backlog: Backlog) -> str:
    return "1 message" if backlog.count == 1 else f"{backlog.count} messages"


def _whose(backlog: Backlog) -> str:
    if not backlog.reports:
        return "no known report"
    return f"{'report' if len(backlog.reports) == 1 else 'reports'} {', '.join(backlog.reports)}"


def _whatever_for(letter: DeadLetter) -> list[str]:
    if letter.event:
        return [f"Event:  {letter.event}", f"Queue:  {letter.queue}"]
    return [f"Source: {letter.source or UNKNOWN}", f"Run:    {letter.run_id or UNKNOWN}"]


def _sending_again(letter: DeadLetter) -> list[str]:
    if not letter.may_be_sent_again:
        return []
    command = f"To send it again:    reports dead-letters replay {letter.dead_letter_id}"
    return [command, COMES_BACK] if letter.event else [command]
