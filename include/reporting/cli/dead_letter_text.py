"""A dead letter as people read it: a line of the list, or all that is known of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from reporting.cli.amounts import NOTHING, moment_text, size_text
from reporting.cli.typed import command

HEADERS = ("ID", "REPORT", "SOURCE", "TRIES", "SIZE", "LAST FAILED", "STATE", "REASON")
NUMBERS = ("ID", "TRIES", "SIZE")
LONGEST_REASON = 60
Letter = Mapping[str, Any]


def cells(letter: Letter) -> list[str]:
    """Return a letter's line of the list."""
    return [
        str(letter["dead_letter_id"]),
        letter["report"] or NOTHING,
        letter["source"] or NOTHING,
        str(letter["tries"]),
        size_text(letter["bytes"]),
        moment_text(letter["last_at"]),
        letter["state"],
        shortened(letter["reason"]),
    ]


def lines_of(letter: Letter, beginning: str | None) -> list[str]:
    """Return all that is known of a letter, and the beginning of its message."""
    number = letter["dead_letter_id"]
    lines = [
        f"Dead letter:  {number} ({state_of(letter)})",
        f"Reason:       {letter['reason']}",
        f"Report:       {letter['report'] or NOTHING}",
        f"Source:       {letter['source'] or NOTHING}",
        f"Run:          {letter['run_id'] or NOTHING}",
        f"Queue:        {letter['queue']}",
        f"Tries:        {letter['tries']}",
        f"First failed: {moment_text(letter['first_at'])}",
        f"Last failed:  {moment_text(letter['last_at'])}",
        f"Message:      {size_text(letter['bytes'])}, in the store as {letter['payload']}",
        *message_lines(letter, beginning),
    ]
    if letter["state"] != "waiting":
        return lines
    return [*lines, "", *_what_to_do(letter)]


def unknown_letter(number: int) -> str:
    """Return that there is no such letter, and what to do."""
    return f"Dead letter {number} is unknown; see all: {command()} dead-letters --all"


def state_of(letter: Letter) -> str:
    """Return the state with when it came to that, and who did it."""
    if not letter["settled_at"]:
        return str(letter["state"])
    by = f" by {letter['settled_by']}" if letter["settled_by"] else ""
    return f"{letter['state']} {moment_text(letter['settled_at'])}{by}"


def message_lines(letter: Letter, beginning: str | None) -> list[str]:
    """Return the beginning of the message, indented; what a terminal obeys is not passed on."""
    if beginning is None:
        return ["  (it is not kept any more)"]
    lines = [f"  {printable(line)}" for line in beginning.splitlines()]
    is_cut = len(beginning.encode()) < letter["bytes"]
    return [*lines, "  (cut here, or without its secrets)"] if is_cut else lines


def printable(text: str) -> str:
    """Return a text with a mark in place of each character that does not show."""
    return "".join(c if c.isprintable() else "�" for c in text)


def shortened(reason: str) -> str:
    """Return what of a reason fits a line."""
    return reason if len(reason) <= LONGEST_REASON else f"{reason[: LONGEST_REASON - 1]}…"


def _what_to_do(letter: Letter) -> list[str]:
    number = letter["dead_letter_id"]
    lines = [f"Put it away:   {command()} dead-letters discard {number}"]
    if letter["run_id"] and letter["report"]:
        lines.insert(0, f"Send it again: {command()} dead-letters replay {number}")
        run = f"{shlex.quote(letter['run_id'])} --report {shlex.quote(letter['report'])}"
        lines.append(f"See its run:   {command()} status {run}")
    return lines
