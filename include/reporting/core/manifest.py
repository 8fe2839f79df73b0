"""The manifest: the commit record of one staged source (R5).

It is put last and in one request, so it either names a whole, readable set of parts or is not
there. Readers read only what it names and compare every byte with it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from reporting.definition.columns import Column, columns_from
from reporting.errors import DefinitionError, IntegrityError

FORMAT = 1


@dataclass(frozen=True)
class Part:
    """One object: Parquet, or JSON lines where rows were set aside.

    Attributes:
        key: object key in the staging bucket.
        bytes: size.
        rows: row count.
        sha256: hex digest of the object.
    """

    key: str
    bytes: int
    rows: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What one attempt staged for one source.

    Attributes:
        source: source id.
        attempt: which attempt wrote the parts; part of their keys.
        parts: in reading order.
        schema: declared columns.
        facts: what the source said of itself, e.g. the snapshot time.
        quarantine: the rows that were set aside, if any.
        started_at: ISO instant at which the fetch began.
        committed_at: ISO instant at which it was committed.
        origin: digest of what was asked for; empty for computed tables.
    """

    source: str
    attempt: str
    parts: tuple[Part, ...]
    schema: tuple[Column, ...]
    started_at: str
    committed_at: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    quarantine: Part | None = None
    origin: str = ""

    @property
    def keys(self) -> list[str]:
        """Every object it names."""
        return [part.key for part in (*self.parts, *self._set_aside)]

    @property
    def rows(self) -> int:
        """Rows of all parts."""
        return sum(part.rows for part in self.parts)

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return sum(part.bytes for part in self.parts)

    @property
    def digest(self) -> str:
        """What the data is: equal for equal parts, whichever attempt staged them."""
        return " ".join(part.sha256 for part in self.parts)

    @property
    def _set_aside(self) -> tuple[Part, ...]:
        return () if self.quarantine is None else (self.quarantine,)

    def to_bytes(self) -> bytes:
        """Return the manifest as readable JSON."""
        data = {
            "format": FORMAT,
            "source": self.source,
            "attempt": self.attempt,
            "origin": self.origin,
            "rows": self.rows,
            "started_at": self.started_at,
            "committed_at": self.committed_at,
            "facts": dict(self.facts),
            "schema": {column.name: column.type for column in self.schema},
            "parts": [asdict(part) for part in self.parts],
            "quarantine": None if self.quarantine is None else asdict(self.quarantine),
        }
        return json.dumps(data, indent=1, ensure_ascii=False).encode()


def manifest_from_bytes(where: str, body: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        IntegrityError: the object is no manifest of a known format.
    """
    try:
        data = json.loads(body)
        _check_format(data["format"])
        return Manifest(
            source=data["source"],
            attempt=data["attempt"],
            parts=tuple(Part(**part) for part in data["parts"]),
            schema=columns_from(where, data["schema"]),
            started_at=data["started_at"],
            committed_at=data["committed_at"],
            facts=dict(data["facts"]),
            quarantine=Part(**data["quarantine"]) if data["quarantine"] else None,
            origin=data.get("origin", ""),  # a manifest of an earlier version has none
        )
    except (ValueError, KeyError, TypeError, AttributeError, DefinitionError) as error:
        raise IntegrityError(
            f"{where} is no manifest of format {FORMAT} ({error}); clear the task that wrote it."
        ) from None


def _check_format(found: int) -> None:
    if found != FORMAT:
        raise ValueError(f"format {found}")
