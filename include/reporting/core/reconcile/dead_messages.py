"""Compares dead letters with the messages that are kept of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reporting.core.reconcile.difference import Difference
from reporting.core.reconcile.stored import Lying, lying_under
from reporting.core.warehouse.dead_letters import (
    FOLDER,
    DeadLetter,
    Wanted,
    find_letter,
    list_letters,
)

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation

MESSAGE_GONE, ORPHANED_MESSAGE = "dead letter", "orphaned message"
MOST = 1000
KEY = re.compile(re.escape(FOLDER) + "([0-9a-f]{64})-([0-9a-f]{16})")  # as `payload_key` makes it
LETTER = """
SELECT FROM reporting.dead_letter WHERE digest = %s
    AND left(encode(sha256(convert_to(queue, 'UTF8')), 'hex'), 16) = %s
"""
# A letter and its message are written in one transaction: while it runs, the message has no letter.
LOCK = "LOCK TABLE reporting.dead_letter IN SHARE ROW EXCLUSIVE MODE"
PATIENCE = "SET LOCAL lock_timeout = '10s'"


def waiting_letters(here: Installation, scope: Scope) -> list[DeadLetter]:
    """Return the dead letters in scope that wait, the newest first."""
    wanted = Wanted(report=scope.report)
    found = list_letters(here.places.warehouse, wanted, "newest", MOST, 0)
    return [letter for letter in found if scope.run_id in (None, letter.run_id)]


def letter_again(here: Installation, letter: DeadLetter) -> DeadLetter | None:
    """Return a letter as it is now; None when it is gone."""
    return find_letter(here.places.warehouse, letter.dead_letter_id)


def messages_gone(here: Installation, _scope: Scope, letter: DeadLetter) -> list[Difference]:
    """Return a letter that waits and whose message is not kept any more."""
    if letter.state != "waiting" or here.places.staging.has(letter.payload):
        return []
    number = letter.dead_letter_id
    return [
        Difference(
            MESSAGE_GONE,
            letter.report,
            letter.run_id,
            f"message of dead letter {number}",
            f"{letter.bytes} bytes",
            "none",
            "decide",
            f"reports dead-letters discard {number}",
        )
    ]


def kept_messages(here: Installation, scope: Scope) -> Iterator[Lying]:
    """Yield the messages without a letter; they belong to no report."""
    if scope.is_everything:
        for message in lying_under(here.places.staging, FOLDER):
            if not _has_letter(here, message.key):
                yield message


def orphaned_messages(here: Installation, scope: Scope, message: Lying) -> list[Difference]:
    """Return a message of which there is no letter."""
    found = _lies_since(here, message.key)
    if found is None or found > scope.before or _has_letter(here, message.key):
        return []
    where = f"{here.places.staging.name}/{message.key}"
    pair = ("a dead letter", "none")
    return [Difference(ORPHANED_MESSAGE, None, None, where, *pair, "remove")]


def remove_message(here: Installation, scope: Scope, found: Difference) -> None:
    """Remove a message, unless its letter has come meanwhile."""
    key = found.what.removeprefix(f"{here.places.staging.name}/")
    with here.places.warehouse.transaction():
        here.places.warehouse.execute(PATIENCE)
        here.places.warehouse.execute(LOCK)
        if orphaned_messages(here, scope, Lying(key, datetime.now(UTC))):
            here.places.staging.delete([key])


def _lies_since(here: Installation, key: str) -> datetime | None:
    return next(
        (one.since for one in lying_under(here.places.staging, key) if one.key == key), None
    )


def _has_letter(here: Installation, key: str) -> bool:
    """Say whether there is a letter of a message, or the object is no message of a letter."""
    found = KEY.fullmatch(key)
    if found is None:
        return True
    return here.places.warehouse.execute(LETTER, found.groups()).fetchone() is not None
