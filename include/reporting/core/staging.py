"""Staging: where a run keeps what it fetched, unique by run and source (R5).

`<report>/<task key>/<source>/manifest.json` commits; the parts lie under a prefix of their
attempt and are never renamed or overwritten. Correctness rests on the manifest alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from reporting.core.manifest import Manifest, Part, manifest_from_bytes
from reporting.core.parts import PartWriter

if TYPE_CHECKING:
    from reporting.core.objects import Bucket
    from reporting.core.run import RunId
    from reporting.definition.columns import Column


@dataclass(frozen=True)
class Staging:
    """The staging area of one run."""

    bucket: Bucket
    run: RunId

    def prefix(self, source: str) -> str:
        """Return the key prefix of one source."""
        return f"{self.run.prefix}{source}/"

    def manifest_key(self, source: str) -> str:
        """Return the key of the source's manifest."""
        return f"{self.prefix(source)}manifest.json"

    def manifest(self, source: str) -> Manifest | None:
        """Return the committed manifest, or None when nothing is committed.

        Raises:
            IntegrityError: the object is no manifest.
        """
        key = self.manifest_key(source)
        body = self.bucket.get(key)
        return None if body is None else manifest_from_bytes(f"Object {key!r}", body)

    @contextmanager
    def attempt(self, source: str, schema: tuple[Column, ...]) -> Iterator[Attempt]:
        """Open an attempt at staging a source; what is not committed is removed again."""
        name = uuid4().hex[:12]
        writer = PartWriter(self.bucket, f"{self.prefix(source)}{name}/", schema, source)
        attempt = Attempt(self, source, name, writer, datetime.now(UTC).isoformat())
        try:
            yield attempt
        except BaseException:
            writer.discard()
            raise

    def commit(self, manifest: Manifest) -> None:
        """Make `manifest` the one in force, then remove the parts of the one before it."""
        before = self.manifest(manifest.source)
        self.bucket.put(self.manifest_key(manifest.source), manifest.to_bytes(), "application/json")
        if before is not None and before.attempt != manifest.attempt:
            self.bucket.delete([part.key for part in before.parts])

    def sources(self) -> list[str]:
        """Return every source under which an object lies; for clean-up only."""
        keys = self.bucket.keys(self.run.prefix)
        return sorted({key.removeprefix(self.run.prefix).split("/")[0] for key in keys})

    def discard_uncommitted(self, source: str) -> int:
        """Remove what no manifest names: parts and open uploads. Return how many."""
        manifest = self.manifest(source)
        kept = {part.key for part in manifest.parts} if manifest else set()
        kept.add(self.manifest_key(source))
        prefix = self.prefix(source)
        stray = [key for key in self.bucket.keys(prefix) if key not in kept]
        return self.bucket.delete(stray) + self.bucket.abort_uploads(prefix)

    def discard(self) -> int:
        """Remove everything the run has staged. Return how many objects."""
        prefix = self.run.prefix
        return self.bucket.delete(list(self.bucket.keys(prefix))) + self.bucket.abort_uploads(
            prefix
        )


@dataclass(frozen=True)
class Attempt:
    """One attempt: write batches to `writer`, then `commit`."""

    staging: Staging
    source: str
    name: str
    writer: PartWriter
    started_at: str

    def commit(self, facts: Mapping[str, Any]) -> Manifest:
        """Close the last part and put the manifest."""
        parts: tuple[Part, ...] = self.writer.close()
        manifest = Manifest(
            source=self.source,
            attempt=self.name,
            parts=parts,
            schema=self.writer.schema,
            started_at=self.started_at,
            committed_at=datetime.now(UTC).isoformat(),
        )
        manifest = replace(manifest, facts=facts)
        self.staging.commit(manifest)
        return manifest
