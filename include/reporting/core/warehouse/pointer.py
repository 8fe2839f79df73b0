"""Moves the pointer that readers follow to another version, or takes it away (R32).

No row of a release is touched, so every move can be taken back. It takes the lock that publishing
takes: a publish comes wholly before it or wholly after.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.warehouse.conflict import despite_conflicts
from reporting.core.warehouse.publish import OPEN, POINT, SUPERSEDE, lock_report
from reporting.errors import TerminalError, TransientError

if TYPE_CHECKING:
    import psycopg

NOTHING = 0
# A publish holds the lock while it loads its rows; a person does not wait for a long one.
PATIENCE = "SET LOCAL lock_timeout = '10s'"
FIND = """
SELECT release_id, report, period, request_key, version, is_default FROM reporting.release
WHERE release_id = %s
"""
# Of the releases made with default params only one is seen per period, whatever their keys.
SHOWN = """
SELECT release_id, r.version
FROM reporting.release AS r JOIN reporting.current_release AS c
    USING (report, request_key, release_id)
WHERE r.report = %(report)s AND r.period = %(period)s
AND (r.request_key = %(request_key)s OR %(is_default)s AND r.is_default)
ORDER BY release_id DESC
"""
REMOVE = "DELETE FROM reporting.current_release WHERE release_id = %s"
NOTE = """
INSERT INTO reporting.pointer_move (report, period, from_release, to_release, moved_by)
VALUES (%s, %s, %s, %s, %s)
"""


class PointerError(TerminalError):
    """What readers see is not what was expected; nothing was changed."""


@dataclass(frozen=True)
class Target:
    """A release that readers are to see, or are not to see any more.

    Attributes:
        release_id: unique in the warehouse.
        report: name of the report.
        period: period key.
        request_key: period and params in short.
        version: 1, 2, … per request key.
        is_default: whether it was made with default params.
    """

    release_id: int
    report: str
    period: str
    request_key: str
    version: int
    is_default: bool

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return f"Version {self.version} of {self.report!r}, period {self.period},"


@dataclass(frozen=True)
class Shown:
    """What readers see where a target stands or would stand."""

    release_id: int
    version: int


Place = Callable[[Target, Sequence[Shown]], int | None]


def shown_at(connection: psycopg.Connection[Any], target: Target) -> list[Shown]:
    """Return what readers see in the place of a release, the newest first; mostly one, or none."""
    return [Shown(*row) for row in connection.execute(SHOWN, vars(target))]


def newest(shown: Sequence[Shown]) -> int:
    """Return the id of the newest release that is seen, or `NOTHING`."""
    return shown[0].release_id if shown else NOTHING


def target_of(connection: psycopg.Connection[Any], release_id: int) -> Target:
    """Return what is known of a release.

    Raises:
        PointerError: there is none of that id.
    """
    row = connection.execute(FIND, (release_id,)).fetchone()
    if row is None:
        raise PointerError(f"There is no release {release_id}.")
    return Target(*row)


def roll_back(
    connection: psycopg.Connection[Any], release_id: int, by: str, seen: int | None = None
) -> Target:
    """Let readers see this release in place of the one they see.

    Args:
        connection: to the warehouse; autocommit.
        release_id: what they are to see.
        by: who does that; it is noted.
        seen: the release that readers saw when that was decided, or `NOTHING`; None to do it
            whatever they see.

    Raises:
        PointerError: they see it already, or see another one than `seen`.
        TransientError: a run publishes the report and does not come to an end.
    """

    def place(target: Target, shown: Sequence[Shown]) -> int | None:
        if [one.release_id for one in shown] == [release_id]:
            raise PointerError(f"{target.name} is what readers see already; nothing was changed.")
        connection.execute(POINT, (target.report, target.request_key, release_id))
        if target.is_default:
            connection.execute(SUPERSEDE, (target.report, target.period, release_id))
        return release_id

    return despite_conflicts(lambda: _moved(connection, release_id, by, seen, place))


def withdraw(
    connection: psycopg.Connection[Any], release_id: int, by: str, seen: int | None = None
) -> Target:
    """Let readers see nothing in place of this release.

    Args:
        connection: to the warehouse; autocommit.
        release_id: what they are not to see any more.
        by: who does that; it is noted.
        seen: see `roll_back`.

    Raises:
        PointerError: they do not see it, or see another one than `seen`.
        TransientError: a run publishes the report and does not come to an end.
    """

    def take_away(target: Target, shown: Sequence[Shown]) -> int | None:
        if release_id not in (one.release_id for one in shown):
            raise PointerError(
                f"{target.name} is not what readers see: {_in_words(shown)}; nothing was changed."
            )
        connection.execute(REMOVE, (release_id,))
        return None

    return despite_conflicts(lambda: _moved(connection, release_id, by, seen, take_away))


def _moved(
    connection: psycopg.Connection[Any], release_id: int, by: str, seen: int | None, place: Place
) -> Target:
    with connection.transaction():
        connection.execute(OPEN)
        target = target_of(connection, release_id)
        _lock(connection, target.report)
        shown = shown_at(connection, target)
        _demand_seen(target, shown, seen)
        after = place(target, shown)
        for before in _replaced(connection, target, shown):
            connection.execute(NOTE, (target.report, target.period, before, after, by))
    return target


def _lock(connection: psycopg.Connection[Any], report: str) -> None:
    from psycopg.errors import LockNotAvailable

    connection.execute(PATIENCE)
    try:
        lock_report(connection, report)
    except LockNotAvailable:
        raise TransientError(
            f"A run of {report!r} publishes now; look again when it has ended. Nothing was changed."
        ) from None


def _demand_seen(target: Target, shown: Sequence[Shown], seen: int | None) -> None:
    if seen is not None and newest(shown) != seen:
        raise PointerError(
            f"What readers see of {target.report!r}, period {target.period}, was changed "
            f"meanwhile: {_in_words(shown)} now. Nothing was changed by you; look again."
        )


def _replaced(
    connection: psycopg.Connection[Any], target: Target, before: Sequence[Shown]
) -> list[int | None]:
    """Return the releases that are not seen any more; `[None]` when none was seen before."""
    still = {one.release_id for one in shown_at(connection, target)}
    return [one.release_id for one in before if one.release_id not in still] or [None]


def _in_words(shown: Sequence[Shown]) -> str:
    return f"they see version {shown[0].version}" if shown else "they see nothing"
