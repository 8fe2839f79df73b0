"""Declared columns as Arrow types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.errors import ContractError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.definition.columns import Column


def arrow_type(column: Column) -> pa.DataType:
    """Return the Arrow type that holds the column exactly."""
    import pyarrow as pa

    if column.is_list:
        return pa.list_(arrow_type(column.element))
    if column.kind == "decimal":
        return pa.decimal128(column.precision, column.scale)
    plain = {
        "int64": pa.int64(),
        "int32": pa.int32(),
        "int16": pa.int16(),
        "float64": pa.float64(),
        "float32": pa.float32(),
        "bool": pa.bool_(),
        "date": pa.date32(),
        "time": pa.time64("us"),
        "timestamp": pa.timestamp("us"),
        "timestamptz": pa.timestamp("us", tz="UTC"),
        "bytes": pa.binary(),
    }
    # Parquet has no type for intervals and JSON that readers agree on; as text they lose nothing.
    return plain.get(column.kind, pa.string())


def arrow_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """Return the schema of the declared columns, in their order."""
    import pyarrow as pa

    return pa.schema([pa.field(c.name, arrow_type(c), c.nullable) for c in columns])


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
