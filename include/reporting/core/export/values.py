"""The values of a column as Python has them, each as exact as its type is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def values_of(column: pa.Array) -> list[Any]:
    """Return the values in order, NULL as None.

    A float32 comes as the float64 with the fewest digits that reads back as the same float32:
    its own value in binary is 0.10000000149011612 where 0.1 was meant.
    """
    import pyarrow as pa

    if column.type == pa.float32():
        column = column.cast(pa.string()).cast(pa.float64())
    elif column.type == pa.list_(pa.float32()):
        column = column.cast(pa.list_(pa.string())).cast(pa.list_(pa.float64()))
    return column.to_pylist()  # type: ignore[no-any-return]
