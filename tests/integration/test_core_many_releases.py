"""What is done under the lock of a report does not grow with all it has ever published."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from reporting.core.warehouse.pointer import SHOWN
from reporting.core.warehouse.publish import SUPERSEDE

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
MANY = """
INSERT INTO reporting.release (report, period, request_key, version, params, is_default, run_id,
    clear_number, started, fingerprint, row_counts, sources, missing, files)
SELECT 'sales', 'day ' || n, 'day ' || n, 1, '{}', true, 'run ' || n, 0, '', '', '{}', '{}', '{}',
    '[]' FROM generate_series(1, 3000) AS n;
INSERT INTO reporting.current_release (report, request_key, release_id)
SELECT report, request_key, release_id FROM reporting.release;
ANALYZE reporting.release, reporting.current_release
"""
TARGET = {"report": "sales", "period": "day 7", "request_key": "day 7", "is_default": True}


@pytest.mark.parametrize(
    ("query", "values"), [(SUPERSEDE, ("sales", "day 7", 1)), (SHOWN, TARGET)], ids=["new", "shown"]
)
def test_what_readers_see_of_a_period_is_found_by_it(
    warehouse: Connection, query: str, values: Any
) -> None:
    warehouse.execute(MANY)

    rows = warehouse.execute(f"EXPLAIN {query}".encode(), values).fetchall()

    plan = "\n".join(str(row[0]) for row in rows)
    assert "release_newest" in plan, plan
    assert "Seq Scan" not in plan, plan
