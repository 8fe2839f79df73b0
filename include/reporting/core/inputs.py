"""What a compute function reads: staged data, verified byte by byte against the manifests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reporting.core.arrow import arrow_schema
from reporting.errors import IntegrityError, StagingGoneError, TerminalError, choices

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from reporting.core.manifest import Manifest, Part
    from reporting.core.objects import Bucket
    from reporting.core.run import Run
    from reporting.definition.columns import Column
    from reporting.definition.period import Period


@dataclass(frozen=True)
class Inputs:
    """The sources of one run.

    Attributes:
        run: the run with its `period` and `params`.
        manifests: committed sources.
        missing: optional sources the run goes on without, with the reason.
        schemas: declared columns of every source.
    """

    run: Run
    bucket: Bucket
    manifests: Mapping[str, Manifest]
    schemas: Mapping[str, tuple[Column, ...]]
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def period(self) -> Period:
        """What the run reports on."""
        return self.run.period

    @property
    def params(self) -> Mapping[str, Any]:
        """What was chosen for the run, by name."""
        return self.run.params

    def batches(self, source: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield the source part by part, for data that is larger than memory.

        Raises:
            IntegrityError: a part is not what the manifest says.
            StagingGoneError: a part was removed, or was staged with other columns than those
                now declared.
            TerminalError: source or column is not declared.
        """
        self._check(source, columns or ())
        wanted = list(columns) if columns is not None else None
        if source in self.missing:
            empty = arrow_schema(self.schemas[source]).empty_table()
            yield empty.select(wanted) if wanted is not None else empty
            return
        for part in self.manifests[source].parts:
            yield read_part(self.bucket, part, wanted, clear=f"fetch_{source}")

    def table(self, source: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the source as one Arrow table; empty with its columns when it is missing."""
        import pyarrow as pa

        return pa.concat_tables(self.batches(source, columns))

    def frame(self, source: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the source as a pandas frame with Arrow-backed, exact types."""
        import pandas as pd

        frame: pd.DataFrame = self.table(source, columns).to_pandas(types_mapper=pd.ArrowDtype)
        return frame

    def _check(self, source: str, columns: Sequence[str]) -> None:
        if source not in self.schemas:
            raise TerminalError(
                f"Source {source!r} is not declared; {choices(tuple(self.schemas), source)}"
            )
        declared = [column.name for column in self.schemas[source]]
        for name in columns:
            if name not in declared:
                raise TerminalError(
                    f"Source {source!r} has no column {name!r}; {choices(declared, name)}"
                )
        if source not in self.missing and self.manifests[source].schema != self.schemas[source]:
            raise StagingGoneError(
                f"Source {source!r} was staged with other columns than those now declared; "
                f"clear fetch_{source} with its downstream."
            )


def read_part(bucket: Bucket, part: Part, columns: list[str] | None, clear: str) -> pa.Table:
    """Read one part and verify it.

    Args:
        bucket: where it lies.
        part: what the manifest says of it.
        columns: which columns, or all.
        clear: the task to clear when the part cannot be used; for the message.

    Raises:
        IntegrityError: size or hash differ from the manifest.
        StagingGoneError: there is no such object.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    body = bucket.get(part.key)
    if body is None:
        raise StagingGoneError(f"Object {part.key!r} is gone; clear {clear} with its downstream.")
    digest = hashlib.sha256(body).hexdigest()
    if len(body) != part.bytes or digest != part.sha256:
        raise IntegrityError(
            f"Object {part.key!r} has {len(body)} bytes, SHA-256 {digest}; the manifest says "
            f"{part.bytes} bytes, {part.sha256}. Clear {clear} with its downstream."
        )
    return pq.read_table(pa.BufferReader(body), columns=columns)
