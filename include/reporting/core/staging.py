"""Staging: where a run keeps what it fetched, unique by run and source (R5).

`<report>/<task key>/<source>/manifest.json` commits; the parts lie under a prefix of their
attempt and are never renamed or overwritten. Correctness rests on the manifest alone.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from reporting.core.manifest import Manifest, Part, manifest_from_bytes
from reporting.core.parts import PartWriter
from reporting.core.quarantine import QUARANTINE, lines_of
from reporting.errors import IntegrityError

if TYPE_CHECKING:
    from reporting.core.fit import Refused
    from reporting.core.intake import Intake
    from reporting.core.objects import Bucket
    from reporting.core.run import RunId
    from reporting.definition.columns import Column

log = logging.getLogger(__name__)


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
        """Open an attempt at staging a source; what is not committed is removed again.

        Once the manifest is under way nothing is removed: the put may have taken effect although
        its answer was lost. What is left then is the business of `discard_uncommitted`.
        """
        attempt = Attempt(self, source, uuid4().hex[:12], schema, datetime.now(UTC).isoformat())
        try:
            yield attempt
        except BaseException:
            if not attempt.is_committing:
                _try_to(attempt.discard)
            raise

    def commit(self, manifest: Manifest) -> None:
        """Make `manifest` the one in force, then remove the parts of the one before it.

        Parts that cannot be removed stay until the run is discarded; no manifest names them.
        """
        before = self._readable(manifest.source)
        self.bucket.put(self.manifest_key(manifest.source), manifest.to_bytes(), "application/json")
        if before is not None and before.attempt != manifest.attempt:
            _try_to(lambda: self.bucket.delete(before.keys))

    def sources(self) -> list[str]:
        """Return every source under which an object lies; for clean-up only."""
        keys = self.bucket.keys(self.run.prefix)
        return sorted({key.removeprefix(self.run.prefix).split("/")[0] for key in keys})

    def discard_uncommitted(self, source: str) -> int:
        """Remove what no manifest names: parts and open uploads. Return how many.

        A manifest that cannot be read names nothing.
        """
        manifest = self._readable(source)
        kept = set(manifest.keys) if manifest else set()
        if manifest is not None:
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

    def _readable(self, source: str) -> Manifest | None:
        try:
            return self.manifest(source)
        except IntegrityError:
            return None


def _try_to(clean_up: Callable[[], Any]) -> None:
    """Clean up, if it works: a failure must neither hide the first error nor undo a commit."""
    try:
        clean_up()
    except Exception:
        log.warning("Some parts could not be removed; the run's discard will.", exc_info=True)


@dataclass
class Attempt:
    """One attempt: write to its writers, then `commit`.

    Attributes:
        staging: area of the run.
        source: what is staged.
        name: unique among all attempts.
        schema: columns of every part; may be set before the first writer is opened.
        started_at: ISO instant.
        refused: rows that were set aside.
        intakes: the streams of a source, in the order of their parts.
        on_progress: told the rows and bytes written so far, after every batch.
        is_committing: whether the manifest has been sent, received or not.
    """

    staging: Staging
    source: str
    name: str
    schema: tuple[Column, ...]
    started_at: str
    refused: list[Refused] = field(default_factory=list)
    intakes: list[Intake] = field(default_factory=list)
    on_progress: Callable[[int, int], None] | None = None
    is_committing: bool = False
    _writers: list[PartWriter] = field(default_factory=list)

    @property
    def writer(self) -> PartWriter:
        """The first writer, opened when it is first asked for."""
        return self._writers[0] if self._writers else self.open_writer()

    @property
    def rows(self) -> int:
        """Rows of all writers so far."""
        return sum(writer.rows for writer in self._writers)

    @property
    def bytes_written(self) -> int:
        """Bytes of all writers so far."""
        return sum(writer.bytes_written for writer in self._writers)

    @property
    def newest(self) -> Any:
        """Largest value of the column that tells how fresh the source is, if any."""
        found = [intake.newest for intake in self.intakes if intake.newest is not None]
        return max(found, default=None)

    def note_progress(self) -> None:
        """Tell whoever wants to know how far it is."""
        if self.on_progress is not None:
            self.on_progress(self.rows, self.bytes_written)

    def open_writer(self) -> PartWriter:
        """Return a new writer; its parts follow those of the writers before it."""
        prefix = f"{self._prefix}{len(self._writers):02d}-"
        writer = PartWriter(self.staging.bucket, prefix, self.schema, self.source)
        self._writers.append(writer)
        return writer

    def commit(self, facts: Mapping[str, Any], origin: str = "") -> Manifest:
        """Close the last parts and put the manifest."""
        writers = self._writers or [self.open_writer()]  # an empty source keeps its schema too
        manifest = Manifest(
            source=self.source,
            attempt=self.name,
            parts=tuple(part for writer in writers for part in writer.close()),
            schema=self.schema,
            started_at=self.started_at,
            committed_at=datetime.now(UTC).isoformat(),
            facts=facts,
            quarantine=self._quarantine(),
            origin=origin,
        )
        self.is_committing = True
        self.staging.commit(manifest)
        return manifest

    def discard(self) -> None:
        """Remove what was written, the parts under way included."""
        for writer in self._writers:
            writer.discard()
        if self.refused:
            self.staging.bucket.delete([self._prefix + QUARANTINE])

    @property
    def _prefix(self) -> str:
        return f"{self.staging.prefix(self.source)}{self.name}/"

    def _quarantine(self) -> Part | None:
        if not self.refused:
            return None
        body = lines_of(self.refused)
        self.staging.bucket.put(self._prefix + QUARANTINE, body, "application/jsonl")
        digest = hashlib.sha256(body).hexdigest()
        return Part(self._prefix + QUARANTINE, len(body), len(self.refused), digest)
