"""Writes record batches as Parquet parts of a bounded size, straight into the store.

Small batches are gathered into row groups first: a service that sends its rows a hundred at a
time must not make a file of thousands of tiny groups, whose index would fill the memory.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from reporting.core.arrow import arrow_schema, check_names
from reporting.core.manifest import Part
from reporting.core.upload import Upload
from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.core.objects import Bucket
    from reporting.definition.columns import Column

PART_BYTES = 128 * 1024 * 1024
GROUP_ROWS = 64 * 1024
GROUP_BYTES = 16 * 1024 * 1024
DELTA = "DELTA_BINARY_PACKED"
WHOLE = ("int64", "int32", "int16", "date", "time", "timestamp", "timestamptz")


def is_whole(column: Column) -> bool:
    """Say whether Parquet keeps the column's values as whole numbers."""
    return column.kind in WHOLE and not column.is_list


class PartWriter:
    """Takes batches of the declared schema and makes parts of them.

    Every source has at least one part, so that an empty one keeps its schema too.

    Attributes:
        schema: columns of every part.
        rows: rows written so far.
    """

    def __init__(
        self, bucket: Bucket, prefix: str, schema: tuple[Column, ...], source: str
    ) -> None:
        """Prepare; nothing is written before the first batch."""
        self._bucket = bucket
        self._prefix = prefix
        self._where = f"Source {source!r}"
        self._arrow = arrow_schema(schema)
        self._parts: list[Part] = []
        self._open = ExitStack()
        self._upload: Upload | None = None
        self._parquet: Any = None
        self._part_rows = 0
        self._gathered: list[pa.Table] = []
        self.schema = schema
        self.rows = 0

    @property
    def bytes_written(self) -> int:
        """Bytes of all parts so far, the one under way included."""
        under_way = 0 if self._upload is None else self._upload.bytes_written
        return sum(part.bytes for part in self._parts) + under_way

    def write(self, batch: pa.Table) -> None:
        """Append a batch of the writer's columns, in their order and of their types.

        Raises:
            ContractError: it has others, or NULL where none is allowed.
        """
        import pyarrow as pa

        check_names(self._where, batch.schema.names, self._arrow.names)
        try:
            table = batch.cast(self._arrow)
        except (ValueError, pa.ArrowException) as error:
            raise ContractError(f"{self._where}: {error} (rows from {self.rows + 1}).") from None
        self.rows += table.num_rows
        self._gathered.append(table)
        rows = sum(gathered.num_rows for gathered in self._gathered)
        size = sum(gathered.nbytes for gathered in self._gathered)
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            self._write_group()

    def close(self) -> tuple[Part, ...]:
        """Finish the last part and return all of them."""
        self._write_group()
        if self._upload is not None or not self._parts:
            self._start_part()
            self._finish_part()
        return tuple(self._parts)

    def discard(self) -> None:
        """Remove what this writer has written, the part under way included."""
        self._gathered.clear()
        if self._parquet is not None:
            self._parquet.is_open = False  # else it would end its file when it is forgotten
        under_way = [] if self._upload is None else [self._next_key]
        self._open.close()
        self._bucket.delete([*(part.key for part in self._parts), *under_way])

    def _write_group(self) -> None:
        import pyarrow as pa

        table = pa.concat_tables(self._gathered) if self._gathered else None
        self._gathered.clear()
        if table is None or table.num_rows == 0:
            return
        self._start_part()
        self._parquet.write_table(table, row_group_size=table.num_rows)
        self._part_rows += table.num_rows
        if self._upload is not None and self._upload.bytes_written >= PART_BYTES:
            self._finish_part()

    def _start_part(self) -> None:
        import pyarrow.parquet as pq

        if self._upload is not None:
            return
        self._upload = self._open.enter_context(Upload(self._bucket, self._next_key))
        self._parquet = pq.ParquetWriter(
            self._upload,
            self._arrow,
            compression="zstd",
            # A dictionary of values that hardly repeat costs time and, after zstd, also space.
            use_dictionary=False,
            # Half the time of zstd alone, and a third less space.
            column_encoding={c.name: DELTA for c in self.schema if is_whole(c)},
        )
        self._part_rows = 0

    def _finish_part(self) -> None:
        if self._upload is None:
            return
        self._parquet.close()
        self._upload.commit()
        self._parts.append(
            Part(self._next_key, self._upload.bytes_written, self._part_rows, self._upload.sha256)
        )
        self._upload = None
        self._open.close()  # what is committed stays; the buffer of the last piece goes

    @property
    def _next_key(self) -> str:
        return f"{self._prefix}part-{len(self._parts):05d}.parquet"
