"""One look at a drop: what is there, and what it lacks to be complete. Nothing is read."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from reporting.core.fetch.s3_list import Listed, listed_from, unfit

if TYPE_CHECKING:
    from reporting.core.fetch.s3_landing import Landed, Landing
    from reporting.core.fetch.s3_sought import Sought


@dataclass(frozen=True)
class Look:
    """What a look has found.

    Attributes:
        objects: what is to be read, in the order of the keys.
        lacks: why it is not complete, in words; empty when it is.
        listed: what a list says of them, by key.
    """

    objects: tuple[Landed, ...]
    lacks: str = ""
    listed: Mapping[str, Listed] = field(default_factory=dict)

    @property
    def sign(self) -> str:
        """Equal for equal sets of objects."""
        return digest(self.objects)


def digest(objects: Sequence[Landed]) -> str:
    """Return one short name for exactly these objects."""
    lines = (f"{o.key}\0{o.version or ''}\0{o.etag}\0{o.bytes}\n" for o in objects)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def look(landing: Landing, sought: Sought, before: str = "") -> Look:
    """Look once.

    Args:
        landing: the bucket.
        sought: what to look for.
        before: sign of an earlier look; without one, nothing has stayed the same.

    Raises:
        TransientError: the store cannot be reached, or something changes during the look.
        TerminalError: the store refuses, or what should be a list is none.
    """
    if sought.listed_in:
        return _look_by_list(landing, sought)
    if sought.marker:
        return _look_by_marker(landing, sought)
    found = Look(_objects(landing, sought))
    if not found.objects:
        return Look((), f"{sought.place} {'does' if sought.key else 'do'} not exist (yet)")
    if sought.unchanged:
        return Look(found.objects, moving(found, before, landing.clock, sought.unchanged))
    return found


def _look_by_marker(landing: Landing, sought: Sought) -> Look:
    """Look at the marker first: what is listed after it is there holds all it stands for."""
    marker = landing.head(sought.marker)
    if marker is None:
        return Look((), f"marker {sought.bucket}/{sought.marker} does not exist (yet)")
    objects = _objects(landing, sought)
    if sought.key and not objects:
        return Look((), f"{sought.place} does not exist, although its marker does")
    newer = next((o for o in objects if o.modified > marker.modified), None)
    if newer is not None:
        why = f"{newer.key!r} is newer than its marker, so the drop is being written again"
    else:
        why = _replaced(landing, marker)
    return Look(objects, why)


def _look_by_list(landing: Landing, sought: Sought) -> Look:
    told = landing.head(sought.listed_in)
    if told is None:
        return Look((), f"list {sought.bucket}/{sought.listed_in} does not exist (yet)")
    where = landing.where(sought.listed_in)
    named = listed_from(landing.small(told), where, sought.prefix, sought.items)
    listed = [item for item in named if item.key != told.key]
    there = {landed.key: landed for landed in landing.listed(sought.prefix)}
    faults = [fault for item in listed if (fault := unfit(item, there, told))]
    keys = sorted((item.key for item in listed if item.key in there), key=str.encode)
    return Look(
        tuple(there[key] for key in keys),
        _counted(faults) or _replaced(landing, told),
        {item.key: item for item in listed},
    )


def _objects(landing: Landing, sought: Sought) -> tuple[Landed, ...]:
    if sought.key:
        found = landing.head(sought.key)
        return () if found is None else (found,)
    return tuple(
        landed
        for landed in landing.listed(sought.prefix)
        if landed.key.endswith(sought.suffix) and landed.key != sought.marker
    )


def _replaced(landing: Landing, told: Landed) -> str:
    """Say that a drop was begun anew while it was looked at, or nothing."""
    now = landing.head(told.key)
    return "" if now == told else f"{told.key!r} has changed while the drop was looked at"


def _counted(faults: Sequence[str]) -> str:
    more = f", and {len(faults) - 1} more" if faults[1:] else ""
    return f"{faults[0]}{more}" if faults else ""


def moving(found: Look, before: str, clock: float, unchanged: float) -> str:
    """Say why objects may still change, or nothing when they have settled.

    Args:
        found: what is there now.
        before: sign of the look before it.
        clock: instant of the look by the store's clock.
        unchanged: seconds for which all must have stayed the same.
    """
    age = clock - max(landed.modified for landed in found.objects)
    if age < unchanged:
        due = timedelta(seconds=unchanged)
        return f"the newest of {len(found.objects)} objects is {age:.0f} s old; {due} are due"
    return "" if before == found.sign else "two looks have not found the same (yet)"
