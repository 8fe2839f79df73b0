"""What a compute function reads: staged data, verified byte by byte against the manifests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.core.ahead import made_ahead
from reporting.core.arrow import arrow_schema
from reporting.core.download import RANGES_AT_ONCE, Download
from reporting.errors import StagingGoneError, TerminalError, choices

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
        schemas: declared columns of every source; none where the database describes them.
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
            TerminalError: source or column is not declared, or a column is asked for twice.
        """
        wanted = list(columns) if columns is not None else None
        self._check(source, wanted)
        if source in self.missing:
            empty = arrow_schema(self.schemas[source]).empty_table()
            yield empty.select(wanted) if wanted is not None else empty
            return
        yield from read_parts(
            self.bucket, self.manifests[source].parts, wanted, clear=f"fetch_{source}"
        )

    def table(self, source: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return the source as one Arrow table; empty with its columns when it is missing."""
        import pyarrow as pa

        return pa.concat_tables(self.batches(source, columns))

    def frame(self, source: str, columns: Sequence[str] | None = None) -> pd.DataFrame:
        """Return the source as a pandas frame with Arrow-backed, exact types."""
        import pandas as pd

        frame: pd.DataFrame = self.table(source, columns).to_pandas(types_mapper=pd.ArrowDtype)
        return frame

    def _check(self, source: str, columns: list[str] | None) -> None:
        if source not in self.schemas:
            raise TerminalError(
                f"Source {source!r} is not declared; {choices(tuple(self.schemas), source)}"
            )
        declared = self.schemas[source]
        staged = declared if source in self.missing else self.manifests[source].schema
        if columns is not None:
            _check_columns(source, columns, [column.name for column in staged])
        if declared and staged != declared:
            raise StagingGoneError(
                f"Source {source!r} was staged with other columns than those now declared; "
                f"clear fetch_{source} with its downstream."
            )


def _check_columns(source: str, asked: list[str], declared: list[str]) -> None:
    where = f"Source {source!r}"
    for name in asked:
        if name not in declared:
            raise TerminalError(f"{where} has no column {name!r}; {choices(declared, name)}")
    if not asked or len(set(asked)) < len(asked):
        raise TerminalError(
            f"{where}: asked for the columns {asked}; allowed: at least one, and each once."
        )


def read_parts(
    bucket: Bucket, parts: Sequence[Part], columns: list[str] | None, clear: str
) -> Iterator[pa.Table]:
    """Yield parts one by one, each verified; the next one is on its way meanwhile.

    The bytes of two parts are held at most.

    Args:
        bucket: where they lie.
        parts: what the manifest says of them.
        columns: which columns and in which order, or all.
        clear: the task to clear when a part cannot be used; for the message.

    Raises:
        IntegrityError: size or hash differ from the manifest.
        StagingGoneError: there is no such object.
    """
    threads = ThreadPoolExecutor(RANGES_AT_ONCE, "read-ahead")
    end = partial(threads.shutdown, cancel_futures=True)
    bodies = (Download(threads, bucket, part).verified(clear) for part in parts)
    try:
        with made_ahead(bodies, end, depth=1) as ready:
            yield from map(partial(_decoded, columns), ready)  # holds no body while it waits
    finally:
        end()


def read_part(bucket: Bucket, part: Part, columns: list[str] | None, clear: str) -> pa.Table:
    """Read one part, as `read_parts` does."""
    (table,) = read_parts(bucket, (part,), columns, clear)
    return table


def _decoded(columns: list[str] | None, body: pa.Buffer) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    return pq.read_table(pa.BufferReader(body), columns=columns)
