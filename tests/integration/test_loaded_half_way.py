"""A load of the warehouse that dies half way and is tried again (F1)."""

from __future__ import annotations

from typing import Any

import psycopg
import pyarrow as pa
import pytest

from reporting.core.arrow import arrow_schema
from reporting.core.warehouse import load
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.copy_text import copy_lines
from reporting.core.warehouse.publish import publish
from tests.integration.publishing import edition, view
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

ROWS, SENT, BATCH = 10_000, 6_000, 1_000


def test_f1_after_the_second_try_each_row_is_there_once(
    warehouse: psycopg.Connection[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    report, run = a_report(), a_run()
    schema = arrow_schema(a_table().schema)
    table = pa.table([list(range(ROWS)), [f"n{n}" for n in range(ROWS)]], schema=schema)
    sent = 0

    def dies_half_way(rows: pa.Table, release_id: int) -> memoryview:
        nonlocal sent
        if sent == SENT:
            raise ConnectionError("the worker is gone")
        sent += rows.num_rows
        return copy_lines(rows, release_id)

    monkeypatch.setattr(load, "BATCH_ROWS", BATCH)
    take_claim(warehouse, run)
    monkeypatch.setattr(load, "copy_lines", dies_half_way)
    with pytest.raises(ConnectionError):
        publish(warehouse, report, run, edition({"totals": table}))
    assert sent == SENT
    assert warehouse.execute("SELECT 1 FROM reporting.release").fetchall() == []
    monkeypatch.setattr(load, "copy_lines", copy_lines)

    release = publish(warehouse, report, run, edition({"totals": table}))

    assert (release.version, release.row_counts) == (1, {"totals": ROWS})
    assert [row[0] for row in view(warehouse)] == list(range(ROWS))
    stored = warehouse.execute("SELECT count(*) FROM results.sales__totals__releases")
    assert stored.fetchone() == (ROWS,)
