"""CSV bytes as record batches of the declared types, never of guessed ones.

An unquoted empty field is NULL, a quoted one is empty text; every other text stays as it is.
An empty line is skipped, except where there is one column only: there it is a NULL.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from reporting.core.arrow import arrow_type, check_names
from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column

# Larger blocks are no faster, and what is freed in other threads lets the memory grow with them.
BLOCK_BYTES = 1024 * 1024


def csv_batches(
    stream: IO[bytes], columns: tuple[Column, ...], where: str
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a CSV stream that has a header line.

    Args:
        stream: UTF-8 bytes, read once.
        columns: declared columns; the header may have them in any order.
        where: source, for the message.

    Raises:
        ContractError: the bytes are no CSV, the header is not the declared one, a value does not
            fit its declared type, or a row is longer than 1 MiB.
    """
    import pyarrow as pa
    from pyarrow import csv

    try:
        reader = csv.open_csv(
            stream,
            read_options=csv.ReadOptions(block_size=BLOCK_BYTES),
            parse_options=csv.ParseOptions(
                newlines_in_values=True, ignore_empty_lines=len(columns) > 1
            ),
            convert_options=_conversion(columns),
        )
        # Checked here, because a header without rows yields no batch that could be.
        check_names(where, reader.schema.names, [column.name for column in columns])
        yield from reader
    except pa.ArrowInvalid as error:
        if "straddling" in str(error):
            raise ContractError(f"{where}: a row is longer than {BLOCK_BYTES} bytes.") from None
        raise ContractError(f"{where}: {error}") from None


def _conversion(columns: tuple[Column, ...]) -> Any:
    from pyarrow import csv

    return csv.ConvertOptions(
        column_types={column.name: arrow_type(column) for column in columns},
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        true_values=["t", "true"],
        false_values=["f", "false"],
    )
