r"""Rows as PostgreSQL's COPY reads them: one line a row, tabs between values, `\N` for NULL.

The server names the line of a value that it refuses. In CSV a line end inside a text counts as a
line too; in this format it is written `\n`, so that the line is the row.

| declared  | text                                                                  |
|-----------|-----------------------------------------------------------------------|
| `bytes`   | hexadecimal after `\x`                                                |
| lists     | elements in quotes, NULL without: `{"1",NULL,"a \"b\""}`              |
| all other | as Arrow writes them: floats with as few digits as read back the same |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

NULL = r"\N"
ESCAPES = {"\\": r"\\", "\t": r"\t", "\n": r"\n", "\r": r"\r"}  # the backslash first


def copy_lines(rows: pa.Table, release_id: int) -> memoryview:
    """Return the rows as lines that begin with the release's id."""
    import pyarrow as pa
    import pyarrow.compute as pc

    fields = [_field(column.combine_chunks()) for column in rows.columns]
    last = pc.fill_null(fields.pop(), NULL)
    ended = pc.binary_join_element_wise(last, pa.scalar("\n"), "")
    lines = pc.binary_join_element_wise(
        pa.scalar(str(release_id)), *fields, ended, "\t",
        null_handling="replace", null_replacement=NULL,
    )  # fmt: skip
    return _bytes_of(lines)


def _bytes_of(lines: pa.Array) -> memoryview:
    import pyarrow as pa

    _, offsets, text = lines.buffers()
    ends = pa.Array.from_buffers(pa.int32(), len(lines) + 1, [None, offsets])
    return memoryview(text)[: ends[-1].as_py()]


def _field(values: pa.Array) -> pa.Array:
    import pyarrow.types as is_a

    if is_a.is_list(values.type):
        return _escaped(_list_texts(values), ESCAPES)
    texts = _texts(values)
    return _escaped(texts, ESCAPES) if _may_hold_anything(values.type) else texts


def _texts(values: pa.Array) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if values.type == pa.binary():
        written = [None if value is None else rf"\x{value.hex()}" for value in values.to_pylist()]
        return pa.array(written, pa.string())
    if values.type == pa.timestamp("us", "UTC"):
        # Ten times quicker than Arrow's way, which looks each one up in the zone.
        wall = values.cast(pa.timestamp("us")).cast(pa.string())
        return pc.binary_join_element_wise(wall, pa.scalar("Z"), "")
    return values.cast(pa.string())


def _may_hold_anything(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return kind in (pa.string(), pa.binary())


def _list_texts(lists: pa.Array) -> pa.Array:
    """Return lists as texts; all elements at once, as there may be many in a row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    elements = lists.flatten()
    texts = _texts(elements)
    if _may_hold_anything(elements.type):
        texts = _escaped(texts, {"\\": r"\\", '"': r"\""})
    quote = pa.scalar('"')
    quoted = pc.fill_null(pc.binary_join_element_wise(quote, texts, quote, ""), "NULL")
    sizes = pc.fill_null(pc.list_value_length(lists), 0)
    ends = pc.cumulative_sum(sizes).cast(pa.int32())
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    joined = pc.binary_join(pa.ListArray.from_arrays(offsets, quoted), ",")
    written = pc.binary_join_element_wise(pa.scalar("{"), joined, pa.scalar("}"), "")
    return pc.if_else(lists.is_valid(), written, pa.scalar(None, pa.string()))


def _escaped(texts: pa.Array, escapes: dict[str, str]) -> pa.Array:
    import pyarrow.compute as pc

    for letter, escape in escapes.items():
        if pc.any(pc.match_substring(texts, letter)).as_py():
            texts = pc.replace_substring(texts, letter, escape)
    return texts
