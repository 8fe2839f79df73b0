"""Rows are sent in few bytes at a time, however many there are and however they lie in memory."""

from __future__ import annotations

import pyarrow as pa
import pytest

from reporting.core.warehouse.copy_text import copy_lines
from reporting.core.warehouse.load import BATCH_BYTES, BATCH_ROWS, batches

pytestmark = pytest.mark.unit


def numbers(*sizes: int) -> pa.ChunkedArray:
    """Return the numbers from 0 on in chunks of these sizes."""
    chunks, start = [], 0
    for size in sizes:
        chunks.append(pa.array(range(start, start + size), pa.int64()))
        start += size
    return pa.chunked_array(chunks, pa.int64())


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ((), []),
        ((1,), [1]),
        ((BATCH_ROWS,), [BATCH_ROWS]),
        ((3,) * 10_000, [BATCH_ROWS] * 3),
        ((BATCH_ROWS + 1, 0, BATCH_ROWS), [BATCH_ROWS, BATCH_ROWS, 1]),
    ],
)
def test_batches_do_not_follow_the_chunks(sizes: tuple[int, ...], expected: list[int]) -> None:
    table = pa.table({"a": numbers(*sizes), "b": pa.array(range(sum(sizes)), pa.int64())})
    found = list(batches(table))
    assert [batch.num_rows for batch in found] == expected
    lines = "".join(bytes(copy_lines(batch, 7)).decode() for batch in found)
    assert lines == "".join(f"7\t{n}\t{n}\n" for n in range(sum(sizes)))


def test_wide_rows_make_small_batches() -> None:
    """A few huge values among small ones; one alone may be larger than a batch."""
    texts = ["x" * (BATCH_BYTES + 1 if n % 500 == 7 else 2000) for n in range(3000)]
    found = list(batches(pa.table({"t": texts})))
    assert all(batch.nbytes <= BATCH_BYTES or batch.num_rows == 1 for batch in found)
    assert [text for batch in found for text in batch["t"].to_pylist()] == texts
