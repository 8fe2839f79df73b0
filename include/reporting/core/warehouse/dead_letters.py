"""Rows of `reporting.dead_letter`: what is known of messages that nobody could use."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import psycopg

FOLDER = "_dead_letters/"  # no report name starts with _
WAITING, REPLAYED, DISCARDED = STATES = ("waiting", "replayed", "discarded")
# The same death told again, as after a crash before the acknowledgement, changes nothing.
KEEP = """
INSERT INTO reporting.dead_letter AS known
    (digest, queue, bytes, reason, source, report, run_id, tries, death, first_at, last_at, event)
VALUES (%(digest)s, %(queue)s, %(bytes)s, %(reason)s, %(source)s, %(report)s, %(run_id)s,
    %(tries)s, %(death)s, %(at)s, %(at)s, %(event)s)
ON CONFLICT (digest, queue) DO UPDATE SET state = 'waiting', settled_at = NULL,
    settled_by = NULL, last_at = excluded.last_at, reason = excluded.reason,
    death = excluded.death, tries = known.tries + excluded.tries,
    source = coalesce(excluded.source, known.source),
    report = coalesce(excluded.report, known.report),
    run_id = coalesce(excluded.run_id, known.run_id),
    event = coalesce(excluded.event, known.event)
WHERE excluded.death = '' OR known.death <> excluded.death
RETURNING dead_letter_id
"""
STARTED = """
SELECT queue AS announced_on, min(event) AS told, array_agg(report ORDER BY report) AS started
FROM reporting.report, jsonb_each_text(event_queues) AS known (queue, event) GROUP BY queue
"""
CLAIM = """
UPDATE reporting.dead_letter AS letter SET event = coalesce(letter.event, known.told),
    report = CASE cardinality(known.started) WHEN 1 THEN known.started[1] END
FROM ({started}) AS known
WHERE letter.state = 'waiting' AND letter.report IS NULL AND letter.queue = known.announced_on
    AND (cardinality(known.started) = 1 OR letter.event IS NULL)
"""
BACKLOGS = """
SELECT DISTINCT ON (report, announced_on) {columns},
    count(*) FILTER (WHERE state = 'waiting') OVER (PARTITION BY report, announced_on), started
FROM reporting.dead_letter
LEFT JOIN ({started}) AS known ON report IS NULL AND queue = announced_on
ORDER BY report, announced_on, last_at DESC, dead_letter_id DESC
"""
WANTED = """
FROM reporting.dead_letter WHERE state = ANY(%(states)s)
    AND (%(readable)s::text[] IS NULL OR report = ANY(%(readable)s))
    AND (%(report)s::text IS NULL OR report = %(report)s)
    AND (%(source)s::text IS NULL OR source = %(source)s)
"""
BEYOND = """
AND (%(last_at)s::timestamptz IS NULL
    OR (last_at, dead_letter_id) {} (%(last_at)s, %(dead_letter_id)s::bigint))
"""
ORDERS = {
    "newest": f"{BEYOND.format('<')} ORDER BY last_at DESC, dead_letter_id DESC",
    "oldest": f"{BEYOND.format('>')} ORDER BY last_at, dead_letter_id",
}
Order = Literal["newest", "oldest"]


@dataclass(frozen=True)
class DeadLetter:
    """A message that nobody could use; the columns of `reporting.dead_letter`."""

    dead_letter_id: int
    digest: str
    queue: str
    bytes: int
    reason: str
    source: str | None
    report: str | None
    run_id: str | None
    tries: int
    state: str
    first_at: datetime
    last_at: datetime
    settled_at: datetime | None
    settled_by: str | None
    event: str | None = None

    @property
    def may_be_sent_again(self) -> bool:
        """Whether it is known what waits for it, or has waited."""
        return bool(self.event or (self.report and self.run_id))

    @property
    def payload(self) -> str:
        """Key of the message in the bucket of staged data."""
        return payload_key(self.digest, self.queue)


@dataclass(frozen=True)
class Place:
    """Where a letter stands in the list.

    Attributes:
        last_at: when it died last.
        dead_letter_id: its number.
    """

    last_at: datetime
    dead_letter_id: int


@dataclass(frozen=True)
class Wanted:
    """Which letters are listed.

    Attributes:
        readable: reports whose letters may be seen; None for all letters, also those of which no
            report is known.
        report: only of this report.
        source: only of this source.
        states: only in one of these.
        beyond: a list has only those that come after this place in its order; so neither what is
            added nor what is removed moves a letter from page to page. A count has all.
    """

    readable: Sequence[str] | None = None
    report: str | None = None
    source: str | None = None
    states: Sequence[str] = (WAITING,)
    beyond: Place | None = None


@dataclass(frozen=True)
class Backlog:
    """What waits of one report, or on the queue of an event that starts several.

    Attributes:
        newest: the letter that came last.
        count: how many wait.
        reports: whom it concerns; empty when that is not known.
    """

    newest: DeadLetter
    count: int
    reports: tuple[str, ...] = ()


COLUMNS = ", ".join(field.name for field in fields(DeadLetter))


def payload_key(digest: str, queue: str) -> str:
    """Return where a message is kept; each letter has its own, also if messages are equal."""
    return f"{FOLDER}{digest}-{hashlib.sha256(queue.encode()).hexdigest()[:16]}"


def keep_letter(connection: psycopg.Connection[Any], letter: Mapping[str, Any]) -> bool:
    """Write a letter, or that it died again; return False for a death that is known."""
    return connection.execute(KEEP, letter).fetchone() is not None


def claim_letters(connection: psycopg.Connection[Any]) -> None:
    """Give each letter that has no report to the one report that starts on its queue's event.

    If several do, it stays with none: who may see one of them need not see the others. A report is
    known from its first run on.
    """
    connection.execute(CLAIM.format(started=STARTED).encode())


def list_letters(
    connection: psycopg.Connection[Any], wanted: Wanted, order: Order, limit: int, offset: int
) -> list[DeadLetter]:
    """Return one page of letters, by when they died last."""
    query = f"SELECT {COLUMNS} {WANTED} {ORDERS[order]} LIMIT %(limit)s OFFSET %(offset)s"
    found = connection.execute(
        query.encode(), {**_values(wanted), "limit": limit, "offset": offset}
    )
    return [DeadLetter(*row) for row in found]


def count_letters(connection: psycopg.Connection[Any], wanted: Wanted) -> int:
    """Return how many letters there are."""
    query = f"SELECT count(*) {WANTED}"
    (count,) = connection.execute(query.encode(), _values(wanted)).fetchone() or (0,)
    return int(count)


def find_letter(connection: psycopg.Connection[Any], number: int) -> DeadLetter | None:
    """Return one letter, or None."""
    return _found(connection, number, "")


def lock_letter(connection: psycopg.Connection[Any], number: int) -> DeadLetter | None:
    """Return one letter, or None; until the transaction ends nobody else settles it."""
    return _found(connection, number, "FOR UPDATE")


def settle_letter(connection: psycopg.Connection[Any], number: int, state: str, by: str) -> None:
    """Note that a letter waits no more, and who saw to that."""
    connection.execute(
        "UPDATE reporting.dead_letter SET state = %s, settled_at = now(), settled_by = %s "
        "WHERE dead_letter_id = %s",
        (state, by or None, number),
    )


def forget_settled(
    connection: psycopg.Connection[Any], older_than: timedelta, limit: int
) -> list[DeadLetter]:
    """Delete letters that were settled so long ago, and return them."""
    query = (
        "DELETE FROM reporting.dead_letter WHERE dead_letter_id IN (SELECT dead_letter_id "  # noqa: S608
        "FROM reporting.dead_letter WHERE state <> 'waiting' AND settled_at <= now() - %s "
        f"LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING {COLUMNS}"
    )
    return [DeadLetter(*row) for row in connection.execute(query.encode(), (older_than, limit))]


def backlogs(connection: psycopg.Connection[Any]) -> list[Backlog]:
    """Return what waits per report, or queue of several, where the newest letter waits, too."""
    query = BACKLOGS.format(columns=COLUMNS, started=STARTED)
    found = [_backlog(*row) for row in connection.execute(query.encode())]
    return [backlog for backlog in found if backlog.newest.state == WAITING]


def _backlog(*row: Any) -> Backlog:
    *letter, count, started = row
    newest = DeadLetter(*letter)
    return Backlog(newest, count, (newest.report,) if newest.report else tuple(started or ()))


def _values(wanted: Wanted) -> dict[str, Any]:
    values = asdict(wanted)
    readable = None if wanted.readable is None else list(wanted.readable)
    beyond = values.pop("beyond") or dict.fromkeys(("last_at", "dead_letter_id"))
    return {**values, **beyond, "states": list(wanted.states), "readable": readable}


def _found(connection: psycopg.Connection[Any], number: int, lock: str) -> DeadLetter | None:
    query = f"SELECT {COLUMNS} FROM reporting.dead_letter WHERE dead_letter_id = %s {lock}"  # noqa: S608
    row = connection.execute(query.encode(), (number,)).fetchone()
    return None if row is None else DeadLetter(*row)
