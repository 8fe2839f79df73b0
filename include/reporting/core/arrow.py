"""Declared columns as Arrow types, and the check that data keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column


def arrow_type(column: Column) -> pa.DataType:
    """Return the Arrow type that holds the column exactly."""
    import pyarrow as pa

    if column.kind == "decimal":
        return pa.decimal128(column.precision, column.scale)
    plain = {
        "int64": pa.int64(),
        "int32": pa.int32(),
        "float64": pa.float64(),
        "text": pa.string(),
        "bool": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
        "timestamptz": pa.timestamp("us", tz="UTC"),
    }
    return plain[column.kind]


def arrow_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """Return the schema of the declared columns, in their order."""
    import pyarrow as pa

    return pa.schema([pa.field(c.name, arrow_type(c), c.nullable) for c in columns])


def conform(
    data: pa.RecordBatch | pa.Table, columns: tuple[Column, ...], where: str, first_row: int = 0
) -> pa.Table:
    """Return `data` as a table of exactly the declared columns and types.

    Args:
        data: columns in any order.
        columns: what is declared.
        where: source or table, for the message.
        first_row: number of rows before this batch, for the message.

    Raises:
        ContractError: a column is missing, unknown, of another type or NULL against its
            declaration. Nothing is rounded or cut.
    """
    import pyarrow as pa

    names = [column.name for column in columns]
    if sorted(data.schema.names) != sorted(names):
        raise ContractError(_name_fault(where, data.schema.names, names))
    arrays = [_checked(data.column(column.name), column, where, first_row) for column in columns]
    return pa.table(arrays, schema=arrow_schema(columns))


def _checked(array: Any, column: Column, where: str, first_row: int) -> Any:
    import pyarrow as pa

    try:
        cast = array.cast(arrow_type(column), safe=True)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ContractError(
            f"{where}, column {column.name!r}: values of type {array.type} do not fit "
            f"{column.type}: {error} (rows from {first_row + 1})."
        ) from None
    if not column.nullable and cast.null_count:
        row = first_row + _first_null(cast) + 1
        raise ContractError(
            f"{where}, column {column.name!r}, row {row}: NULL; allowed: {column.type}."
        )
    return cast


def _first_null(array: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.index(array.is_null(), True).as_py())


def _name_fault(where: str, got: list[str], declared: list[str]) -> str:
    missing = [name for name in declared if name not in got]
    unknown = [name for name in got if name not in declared]
    twice = sorted({name for name in got if got.count(name) > 1})
    faults = {"missing": missing, "not declared": unknown, "repeated": twice}
    listed = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in faults.items() if names)
    return f"{where}: columns differ from the declared ones: {listed}."
