"""Takes the rows out of a body of any format, in bounded memory."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from reporting.core.arrow import arrow_schema
from reporting.core.fetch.batches import Counted, batches
from reporting.core.fetch.charset import as_utf8
from reporting.core.fetch.csv_stream import csv_tables
from reporting.core.fetch.drift import check_drift
from reporting.core.fetch.json_rows import fit_json
from reporting.core.fetch.json_stream import NotJsonError, rows_of
from reporting.core.fetch.told_error import error_told
from reporting.core.fit import LONGEST_VALUE, Refused
from reporting.core.text_columns import from_text
from reporting.core.typed_columns import from_typed
from reporting.definition.bodies import Body, CsvBody, JsonBody, NdjsonBody, ParquetBody
from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.core.fetch.client import Answer
    from reporting.core.intake import Intake
    from reporting.definition.columns import Column

PARQUET_ROWS = 65_536
COPY_BYTES = 1024 * 1024
LONGEST_LINE = 16 * 1024 * 1024

Columns = tuple["Column", ...]


def take_answer(body: Body, answer: Answer, columns: Columns, intake: Intake) -> set[str]:
    """Take all rows of an answer whose text is in the charset that it declares.

    Returns:
        As `take_body`.

    Raises:
        ContractError: as `take_body`; or there is no such charset, or the text is not in it.
    """
    stream: io.RawIOBase = answer.body
    if not isinstance(body, ParquetBody):
        stream = as_utf8(stream, answer.headers.get("Content-Type", ""), intake.where)
    return take_body(body, stream, columns, intake)


def take_body(body: Body, stream: io.RawIOBase, columns: Columns, intake: Intake) -> set[str]:
    """Take all rows of a body.

    Args:
        body: what the bytes are.
        stream: read once.
        columns: what is declared.
        intake: where the rows go.

    Returns:
        The names of all fields that came, where rows have names of their own; else none.

    Raises:
        ContractError: the bytes are something else, or rows do not fit.
    """
    match body:
        case JsonBody():
            return _take_json(body, stream, columns, intake)
        case NdjsonBody():
            return _take_lines(stream, columns, intake)
        case CsvBody():
            csv_bytes: Any = stream
            take_csv(csv_bytes, columns, intake)
        case ParquetBody():
            _take_parquet(stream, columns, intake)
    return set()


def take_csv(stream: IO[bytes], columns: Columns, intake: Intake) -> None:
    """Take all rows of a CSV body.

    Raises:
        ContractError: the bytes are no such CSV, or rows do not fit.
    """
    malformed: list[Refused] = []
    for table in csv_tables(stream, columns, intake.where, malformed):
        intake.take(table, from_text, malformed)
        malformed.clear()
    intake.accept(arrow_schema(columns).empty_table(), malformed)


def _take_json(body: JsonBody, stream: io.RawIOBase, columns: Columns, intake: Intake) -> set[str]:
    counted, fields = Counted(stream), set[str]()
    try:
        for batch in batches(rows_of(counted, body.items), counted):
            _demand_objects(batch, intake)
            intake.accept(*fit_json(batch, columns, intake.seen))
            fields.update(*batch)
    except NotJsonError as error:
        raise ContractError(f"{intake.where}: after {intake.seen} rows, {error}") from None
    return fields


def _demand_objects(rows: list[Any], intake: Intake) -> None:
    for number, row in enumerate(rows, intake.seen + 1):
        if not isinstance(row, dict):
            raise ContractError(f"{intake.where}, row {number}: no JSON object.")


def _take_lines(stream: io.RawIOBase, columns: Columns, intake: Intake) -> set[str]:
    counted, fields = Counted(stream), set[str]()
    lines = enumerate(_lines(io.BufferedReader(counted, COPY_BYTES), intake), 1)
    for batch in batches(lines, counted):
        rows, malformed = [], []
        for number, line in batch:
            row = _object(line)
            _demand_data(line, row, columns, f"{intake.where}, line {number}")
            if row is None:
                text = line.decode(errors="replace")
                reason = f"{text[:LONGEST_VALUE]!r}; allowed: a JSON object."
                malformed.append(Refused(number, "", reason, {"": text}))
            else:
                rows.append(row)
        table, refused = fit_json(rows, columns, intake.seen)
        intake.accept(table, intake.counted(refused, malformed))
        fields.update(*rows)
    return fields


def _demand_data(line: bytes, row: dict[str, Any] | None, columns: Columns, where: str) -> None:
    """Find an answer that is no data at all, which must not be set aside row by row."""
    if row is None and line.lstrip().startswith(b"<"):
        raise ContractError(f"{where}: no JSON, but a page: {line[:LONGEST_VALUE]!r}.")
    is_row = row is None or any(column.name in row for column in columns)
    if not is_row and (told := error_told(row or {})):
        raise ContractError(f"{where}: the service tells of an error, {told}.")


def _lines(stream: io.BufferedReader, intake: Intake) -> Iterator[bytes]:
    while line := stream.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise ContractError(f"{intake.where}: a line is longer than {LONGEST_LINE} bytes.")
        if line.strip():
            yield line


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError, InvalidOperation):  # the last: an exponent of 20 digits
        return None
    return row if isinstance(row, dict) else None


def _take_parquet(stream: io.RawIOBase, columns: Columns, intake: Intake) -> None:
    import pyarrow as pa

    with TemporaryFile() as file:  # its index is at its end
        while piece := stream.read(COPY_BYTES):
            file.write(piece)
        batches = _parquet_batches(file, columns, intake.where)
        while (batch := _readable(batches, intake.where)) is not None:
            intake.take(pa.Table.from_batches([batch]), from_typed)


def _parquet_batches(file: IO[bytes], columns: Columns, where: str) -> Iterator[pa.RecordBatch]:
    import pyarrow.parquet as pq

    parquet = pq.ParquetFile(file)
    check_drift(where, columns, parquet.schema_arrow.names)
    yield from parquet.iter_batches(PARQUET_ROWS)


def _readable(batches: Iterator[pa.RecordBatch], where: str) -> pa.RecordBatch | None:
    import pyarrow as pa

    try:
        return next(batches, None)
    except (pa.ArrowException, OSError) as error:  # the latter: its bytes are damaged
        raise ContractError(f"{where}: no readable Parquet file: {error}") from None
