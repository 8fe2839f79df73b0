"""What is published is exactly what was computed, and kept as it was declared."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import psycopg
import pytest
from psycopg import sql

from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.relation import SQL_TYPES, sql_type
from reporting.errors import ContractError
from tests.integration.publishing import data, edition, publish_new, view
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]

TEXTS = ["", None, "NULL", "\\N", "\\.", "\t", "\n", "a\n\\.\nb", "\\.\n", '"', '""', "'", ",",
         "\r\n", "\r", "é\U0001f600", " ", "\ufeff", "\\", "\\n", "nan", "x" * 100_000]  # fmt: skip


def test_f62_f31_texts_come_back_as_they_are(warehouse: Connection) -> None:
    rows = [{"id": number, "name": text} for number, text in enumerate(TEXTS)]
    publish_new(warehouse, a_report(), a_run(), data(a_report(), *rows))

    assert [row[1] for row in view(warehouse)] == TEXTS


VALUES: dict[str, list[Any]] = {
    "int64": [-(2**63), 2**63 - 1, 9007199254740993, None],
    "int32": [-(2**31), 2**31 - 1, 0, None],
    "decimal(20,6)": [Decimal("12345678901234.567891"), Decimal("-0.005"), Decimal("0.1"), None],
    "decimal(38,20)": [Decimal("1e-20"), Decimal(123456789012345678), Decimal(0), None],
    "float64": [0.1, math.inf, -math.inf, 5e-324],
    "bool": [True, False, None, True],
    "date": [date(1, 1, 1), date(1899, 12, 31), date(9999, 12, 31), None],
    "timestamp": [datetime(2024, 3, 31, 2, 30, 0, 1), datetime(1, 1, 1), None, None],  # noqa: DTZ001
    "timestamptz": [datetime(2024, 10, 27, h, 30, 0, 123456, UTC) for h in (0, 1)] + [None, None],
    "int16": [-(2**15), 2**15 - 1, 0, None],
    "float32": [0.5, math.inf, -math.inf, None],
    "time": [time(0), time(23, 59, 59, 999999), time(1, 2, 3), None],
    "bytes": [b"\0\xff", b"", b"\\x00", None],
    "json": [{"a": [1, None]}, "é", [], None],
    "jsonb": [{"a": [1, None]}, "é", [], None],
    "int64[]": [[1, None, -(2**63)], [], None, [None]],
    "text[]": [["", "NULL", 'a"b', "\\", "{,}", None, "\t\n"], [], None, [" "]],
    "bytes[]": [[b"\\", b"", None], [], None, [b"\0"]],
    "decimal(9,2)[]": [[Decimal("-0.01"), None], [], None, [Decimal("1.10")]],
    "timestamptz[]": [[datetime(1, 1, 1, tzinfo=UTC)], [], None, [None]],
}


def given(kind: str, row: int) -> Any:
    value = VALUES[kind][row]
    return json.dumps(value) if kind.startswith("json") and value is not None else value


def test_values_come_back_exact_whatever_the_session_is_set_to(
    warehouse: Connection, database: str
) -> None:
    """R37, F28, F30; NaN stays NaN and is not NULL."""
    report = a_report(tables=[a_table(columns={"id": "int64", **{kind: kind for kind in VALUES}})])
    rows = [{"id": n, **{kind: given(kind, n) for kind in VALUES}} for n in range(4)]
    rows.append({"id": 4, "float64": math.nan})
    options = "-c client_encoding=LATIN1 -c DateStyle=German -c TimeZone=Asia/Shanghai"
    with psycopg.connect(database, autocommit=True, options=options) as odd:
        publish_new(odd, report, a_run(), data(report, *rows))

    warehouse.execute("SET TimeZone = 'UTC'")
    for kind, values in VALUES.items():
        found = warehouse.execute(
            sql.SQL("SELECT {} FROM results.sales__totals WHERE id < 4 ORDER BY id").format(
                sql.Identifier(kind)
            )
        ).fetchall()
        assert [row[0] for row in found] == values, kind
    nan = warehouse.execute("SELECT float64 FROM results.sales__totals WHERE id = 4").fetchone()
    assert nan is not None
    assert math.isnan(nan[0])


def test_every_type_is_kept_as_it_is_declared_and_known_again(warehouse: Connection) -> None:
    words = [*VALUES, "interval", "uuid", *(f"{word}[]" for word in SQL_TYPES)]
    report = a_report(tables=[a_table(columns={"id": "int64"} | {word: word for word in words})])
    for number in range(2):
        run = a_run(run_id=f"run_{number}")
        publish_new(warehouse, report, run, data(report, {"id": 1, "interval": "P1Y2M3DT-0.5S"}))

    found = warehouse.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = 'results.sales__totals'::regclass AND attnum > 3"
    )
    kept = dict(found.fetchall())
    assert kept == {column.name: sql_type(column) for column in report.tables[0].schema[1:]}
    assert kept["time"] == "time without time zone"
    assert kept["decimal(9,2)[]"] == "numeric(9,2)[]"
    assert kept["timestamptz[]"] == "timestamp with time zone[]"


def columns_of(connection: Connection, name: str) -> list[str]:
    cursor = connection.execute(f"SELECT * FROM results.{name} LIMIT 0")
    return [column.name for column in cursor.description or ()]


def test_columns_may_come_and_go_and_readers_keep_their_grants(warehouse: Connection) -> None:
    publish_new(warehouse, a_report(), a_run(), data(a_report(), {"id": 1, "name": "a"}))
    warehouse.execute("CREATE VIEW own AS SELECT id, name FROM results.sales__totals")
    warehouse.execute("GRANT SELECT ON results.sales__totals TO pg_monitor")
    wider = a_report(tables=[a_table(columns={"new": "date", "id": "int64"})])
    run = a_run(run_id="b", day=date(2024, 5, 2))
    publish_new(warehouse, wider, run, data(wider, {"id": 2, "new": date(2024, 5, 2)}))

    assert columns_of(warehouse, "sales__totals") == ["period", "release_id", "id", "name", "new"]
    assert columns_of(warehouse, "sales__totals__by_params")[-1] == "new"
    assert warehouse.execute("SELECT * FROM own ORDER BY id").fetchall() == [(1, "a"), (2, None)]
    granted = warehouse.execute(
        "SELECT has_table_privilege('pg_monitor', 'results.sales__totals', 'SELECT')"
    )
    assert granted.fetchone() == (True,)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (a_table(columns={"id": "int64", "name": "date"}), ["'name'", "kept as text", "date"]),
        (a_table(columns={"id": "decimal(9,2)", "name": "text"}), ["'id'", "bigint"]),
        (a_table(columns={"id": "int64", "name": "text[]"}), ["'name'", "kept as text", "text[]"]),
        (a_table(key=["id", "name"]), ["key (id)", "declared with (id, name)"]),
    ],
)
def test_a_changed_type_or_key_is_refused_by_name(
    warehouse: Connection, table: Any, words: list[str]
) -> None:
    publish_new(warehouse, a_report(), a_run(), data(a_report(), {"id": 1, "name": "a"}))
    changed, run = a_report(tables=[table]), a_run(run_id="b")
    take_claim(warehouse, run)

    with pytest.raises(ContractError) as fault:
        publish(warehouse, changed, run, edition(data(changed)))

    for word in (*words, "'totals'", "by hand"):
        assert word in str(fault.value)
    assert view(warehouse) == [(1, "a", "2024-05-01")]
