"""Batches of rows: bounded in number and in bytes, and no row is lost between two."""

from __future__ import annotations

import io
from typing import Any

import pytest

from reporting.core.fetch.batches import BATCH_BYTES, BATCH_ROWS, Counted, batches
from reporting.core.fetch.json_stream import rows_of

pytestmark = pytest.mark.unit


def read(body: bytes, way: str) -> list[list[Any]]:
    raw: Any = io.BytesIO(body)
    counted = Counted(raw)
    lines = io.BufferedReader(counted, 1024)
    rows = rows_of(counted, None) if way == "json" else iter(lines.readline, b"")
    return list(batches(rows, counted))


@pytest.mark.parametrize("way", ["json", "lines"])
def test_short_rows_come_many_at_a_time(way: str) -> None:
    rows = [str(number) for number in range(BATCH_ROWS * 2 + 1)]
    body = f"[{','.join(rows)}]" if way == "json" else "".join(f"{row}\n" for row in rows)

    found = read(body.encode(), way)

    assert [len(batch) for batch in found] == [BATCH_ROWS, BATCH_ROWS, 1]
    assert [int(row) for batch in found for row in batch] == list(map(int, rows))


@pytest.mark.parametrize("way", ["json", "lines"])
def test_long_rows_come_a_few_at_a_time(way: str) -> None:
    """Two thousand rows of a megabyte each are more than there is memory."""
    long = "x" * (BATCH_BYTES // 2)
    rows = [f'"{number}{long}"' for number in range(9)]
    body = f"[{','.join(rows)}]" if way == "json" else "".join(f"{row}\n" for row in rows)

    found = read(body.encode(), way)

    assert sum(map(len, found)) == len(rows)
    assert max(map(len, found)) <= 3
