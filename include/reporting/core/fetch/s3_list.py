"""The list of a drop: which objects it has, and what is said of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.errors import ContractError

if TYPE_CHECKING:
    from reporting.core.fetch.s3_landing import Landed

NUMBERS, TEXTS = ("bytes", "rows"), ("etag", "sha256")


@dataclass(frozen=True)
class Listed:
    """What the list says of one object; None and empty where it says nothing.

    Attributes:
        key: its whole key.
        bytes: its size.
        rows: how many rows it has.
        etag: the store's name for its content, without quotes.
        sha256: hex digest of its content.
    """

    key: str
    bytes: int | None = None
    rows: int | None = None
    etag: str = ""
    sha256: str = ""


def listed_from(body: bytes, where: str, prefix: str, items: str | None) -> list[Listed]:
    """Read a list.

    Args:
        body: JSON.
        where: source and object, for messages.
        prefix: what the names are below.
        items: name of the list in it; None when it is the list itself.

    Raises:
        ContractError: it is no such list, or names an object twice.
    """
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise ContractError(f"{where} is no JSON.") from None
    if items is not None:
        found = found.get(items) if isinstance(found, dict) else None
    if not isinstance(found, list):
        place = "it" if items is None else repr(items)
        raise ContractError(f"{where}: {place} is no list; allowed: a list of objects.")
    listed = [_listed(item, f"{where}, item {n}", prefix) for n, item in enumerate(found, 1)]
    _demand_once(listed, where)
    return listed


def _listed(item: Any, where: str, prefix: str) -> Listed:
    said = {"key": item} if isinstance(item, str) else item
    if not isinstance(said, dict) or not isinstance(said.get("key"), str) or not said["key"]:
        raise ContractError(f"{where}: allowed: a name, or an object with a text `key`.")
    for name, kind in [*dict.fromkeys(NUMBERS, int).items(), *dict.fromkeys(TEXTS, str).items()]:
        value = said.get(name)
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise ContractError(f"{where}: {name}={value!r}; allowed: {kind.__name__} or null.")
    key = said["key"]
    return Listed(
        key if key.startswith(prefix) else prefix + key,
        said.get("bytes"),
        said.get("rows"),
        (said.get("etag") or "").strip('"'),
        (said.get("sha256") or "").lower(),
    )


def _demand_once(listed: Sequence[Listed], where: str) -> None:
    seen: set[str] = set()
    for item in listed:
        if item.key in seen:
            raise ContractError(f"{where} names {item.key!r} twice; its rows would count twice.")
        seen.add(item.key)


def unfit(item: Listed, there: Mapping[str, Landed], told: Landed) -> str:
    """Say why an object is not what the list says of it, or nothing when it is.

    Args:
        item: what the list says.
        there: the objects that are there, by key.
        told: the list itself.
    """
    found = there.get(item.key)
    if found is None:
        return f"{item.key!r} is named by {told.key!r} and is not there"
    if item.bytes not in (None, found.bytes):
        return f"{item.key!r} has {found.bytes} bytes; {told.key!r} says {item.bytes}"
    if item.etag and item.etag != found.etag.strip('"'):
        return f"{item.key!r} has ETag {found.etag}; {told.key!r} says {item.etag}"
    if not (item.etag or item.sha256) and found.modified > told.modified:
        return f"{item.key!r} is newer than {told.key!r}, so the drop is being written again"
    return ""
