"""CSV bytes as tables of text; the declared types are made of it later, never guessed.

An unquoted empty field is NULL, a quoted one is empty text; every other text stays as it is.
An empty line is skipped, except where there is one column only: there it is a NULL.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

from reporting.core.fetch.csv_end import MARK, EndMarked
from reporting.core.fetch.drift import check_drift
from reporting.core.fit import Refused
from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column

BLOCK_BYTES = 4 * 1024 * 1024  # larger blocks are no faster, and take more memory


def csv_tables(
    stream: IO[bytes], columns: tuple[Column, ...], where: str, malformed: list[Refused]
) -> Iterator[pa.Table]:
    """Yield the rows of a CSV stream that has a header line.

    Args:
        stream: UTF-8 bytes, read once.
        columns: declared columns; the header may have them in any order.
        where: source, for the message.
        malformed: rows with too many or too few fields are added to it, before the table that
            they came among.

    Raises:
        ContractError: the bytes are no CSV, the header is not the declared one, a row is longer
            than 4 MiB, or quotes are not closed.
    """
    import pyarrow as pa

    found, seen = _Malformed(), 0
    with _named(where):
        reader = _opened(stream, columns, found)
        # Checked here, because a header without rows yields no batch that could be.
        check_drift(where, columns, reader.schema.names)
        for batch in reader:
            among = found.taken(seen + batch.num_rows)
            seen += batch.num_rows + len(among)
            malformed += among
            yield pa.Table.from_batches([batch])
    malformed += found.ahead
    if not found.has_end:
        raise ContractError(f"{where}: quotes are opened and not closed before its end.")


class _Malformed:
    """Takes rows with too many or too few fields from the reader, which is ahead of its tables."""

    def __init__(self) -> None:
        self.ahead = deque[Refused]()
        self.has_end = False

    def __call__(self, row: Any) -> str:
        if row.text.startswith(MARK):
            self.has_end = True
        else:
            self.ahead.append(_malformed(row))
        return "skip"

    def taken(self, last: int) -> list[Refused]:
        """Take those before a row, of which the number is known without them."""
        taken: list[Refused] = []
        while self.ahead and self.ahead[0].row <= last + len(taken):
            taken.append(self.ahead.popleft())
        return taken


@contextmanager
def _named(where: str) -> Iterator[None]:
    """Name the source in what Arrow says."""
    import pyarrow as pa

    try:
        yield
    except pa.ArrowInvalid as error:
        if "straddling" in str(error):
            raise ContractError(f"{where}: a row is longer than {BLOCK_BYTES} bytes.") from None
        raise ContractError(f"{where}: {error}") from None
    except UnicodeDecodeError as error:
        raise ContractError(f"{where}: the heading is no UTF-8 ({error}).") from None


def _opened(stream: IO[bytes], columns: tuple[Column, ...], set_aside: Any) -> Any:
    from pyarrow import csv

    return csv.open_csv(
        EndMarked(stream, len(columns)),
        csv.ReadOptions(block_size=BLOCK_BYTES, use_threads=False),
        csv.ParseOptions(
            newlines_in_values=True,
            ignore_empty_lines=len(columns) > 1,
            invalid_row_handler=set_aside,
        ),
        text_options([column.name for column in columns]),
    )


def _malformed(row: Any) -> Refused:
    reason = f"{row.actual_columns} fields; allowed: {row.expected_columns}, as in the header."
    return Refused(row.number - 1, "", reason, {"": row.text})  # the header is not counted


def text_options(names: Sequence[str]) -> Any:
    """Return how Arrow is to read columns as text."""
    import pyarrow as pa
    from pyarrow import csv

    return csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
