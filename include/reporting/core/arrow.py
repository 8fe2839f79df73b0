"""Declared columns as Arrow types, and the check that data keeps them.

Nothing is rounded, cut or guessed. What may become what:

| declared            | from                                                              |
|---------------------|-------------------------------------------------------------------|
| `int64` `int32`     | whole numbers, also as floats or decimals without a fraction      |
| `float64`           | floats, and whole numbers it holds exactly                        |
| `decimal(p,s)`      | decimals of no more digits, whole numbers; never floats           |
| `text`              | text only                                                         |
| `bool`              | truth values only                                                 |
| `date`              | dates, and times without zone at midnight                         |
| `timestamp`         | times without zone, in whole microseconds                         |
| `timestamptz`       | times with a zone, in whole microseconds                          |

A column without any value may become each of them.
"""

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

    check_names(where, data.schema.names, [column.name for column in columns])
    arrays = [_checked(data.column(column.name), column, where, first_row) for column in columns]
    return pa.table(arrays, schema=arrow_schema(columns))


def _checked(array: Any, column: Column, where: str, first_row: int) -> Any:
    import pyarrow as pa

    try:
        cast = _cast(array, column)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, TypeError) as error:
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


def _cast(array: Any, column: Column) -> Any:
    """Return the array in the declared type; a cast Arrow calls safe may still lose something."""
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = arrow_type(column)
    if array.type == wanted:
        return array
    if array.null_count == len(array):  # no value has a type; pandas then calls it float
        return pa.nulls(len(array), wanted)
    if not _may_become(array.type, column.kind):
        raise TypeError(f"{array.type} never becomes {column.kind}")
    if column.kind == "decimal" and pa.types.is_integer(array.type):
        # Arrow judges integers by their type's range, decimals by their value.
        array = array.cast(pa.decimal128(38, 0))
    cast = array.cast(wanted, safe=True)
    if column.kind == "date" and pc.any(pc.not_equal(cast.cast(array.type), array)).as_py():
        raise TypeError("a time of day would be lost")
    return cast


def _may_become(given: pa.DataType, kind: str) -> bool:
    from pyarrow import types

    is_number = types.is_integer(given) or types.is_floating(given)
    fits = {
        "int64": is_number or types.is_decimal(given),
        "int32": is_number or types.is_decimal(given),
        "float64": is_number,
        "decimal": types.is_decimal(given) or types.is_integer(given),
        "text": _is_text(given),
        "bool": types.is_boolean(given),
        "date": types.is_date(given) or (types.is_timestamp(given) and given.tz is None),
        "timestamp": types.is_timestamp(given) and given.tz is None,
        "timestamptz": types.is_timestamp(given) and given.tz is not None,
    }
    return bool(fits[kind])


def _is_text(given: pa.DataType) -> bool:
    from pyarrow import types

    kind = given.value_type if types.is_dictionary(given) else given
    return any(
        is_kind(kind) for is_kind in (types.is_string, types.is_large_string, types.is_string_view)
    )


def _first_null(array: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.index(array.is_null(), True).as_py())


def check_names(where: str, got: list[str], declared: list[str]) -> None:
    """Refuse columns that are missing, not declared or repeated; their order does not matter.

    Raises:
        ContractError: naming them all.
    """
    if sorted(got) == sorted(declared):
        return
    missing = [name for name in declared if name not in got]
    unknown = [name for name in got if name not in declared]
    twice = sorted({name for name in got if got.count(name) > 1})
    faults = {"missing": missing, "not declared": unknown, "repeated": twice}
    listed = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in faults.items() if names)
    raise ContractError(f"{where}: columns differ from the declared ones: {listed}.")
