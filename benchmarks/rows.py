"""The rows all data benchmarks move: 12 columns of the usual kinds, some of them NULL now and then.

Every value follows from the row's number, so that each run measures the same bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

if TYPE_CHECKING:
    from embedded_stack.postgres import Connection

TABLE = "orders"
KEY = "id"
COLUMNS = {
    "id": "int64 not null",
    "customer": "int32",
    "shop": "int32 not null",
    "amount": "decimal(12,2)",
    "rate": "decimal(20,6) not null",
    "score": "float64",
    "is_paid": "bool",
    "currency": "text not null",
    "remark": "text",
    "due": "date",
    "ordered_at": "timestamp not null",
    "changed_at": "timestamptz",
}
# `mixed` is Knuth's multiplicative hash: neighbours differ in every column.
MAKE = """
CREATE TABLE {name} AS
SELECT n AS id,
    CASE WHEN n % 40 <> 0 THEN (mixed % 250000)::int4 END AS customer,
    (n % 300)::int2 AS shop,
    CASE WHEN n % 25 <> 0 THEN (mixed % 90000000 / 100.0)::numeric(12,2) END AS amount,
    (mixed * n % 9000000000000 / 1000000.0)::numeric(20,6) AS rate,
    CASE WHEN n % 30 <> 0 THEN sin(n) * 1000 END AS score,
    CASE WHEN n % 35 <> 0 THEN mixed % 3 = 0 END AS is_paid,
    (ARRAY['EUR', 'USD', 'GBP', 'CHF', 'JPY', 'SEK', 'PLN'])[mixed % 7 + 1] AS currency,
    CASE WHEN n % 20 <> 0 THEN concat_ws(' ',
        (ARRAY['delivered', 'returned', 'sent "as is"', 'lost', 'in parts,'])[mixed % 5 + 1],
        (ARRAY['to', 'from', 'via', 'by way of'])[mixed / 8 % 4 + 1],
        (ARRAY['Köln', 'Århus', 'Zürich', 'New York', 'Rio de Janeiro'])[mixed / 64 % 5 + 1],
        'number', mixed) END AS remark,
    CASE WHEN n % 45 <> 0 THEN date '2010-01-01' + (mixed % 5000)::int END AS due,
    timestamp '2015-01-01' + n * interval '1.000001 second' AS ordered_at,
    CASE WHEN n % 15 <> 0
        THEN timestamptz '2015-01-01 00:00+00' + mixed * interval '1 microsecond' END AS changed_at
FROM generate_series(1::bigint, {rows}) AS n, LATERAL (SELECT n * 2654435761 % 4294967296 AS mixed)
"""


def table_name(rows: int) -> str:
    """Return the name of the table of so many rows."""
    return f"rows_{rows}"


def make_table(connection: Connection, rows: int) -> str:
    """Make the table of so many rows unless it is there, and return its name."""
    name = table_name(rows)
    if connection.execute("SELECT to_regclass(%s)", (name,)).fetchone() == (None,):
        identifier = sql.Identifier(name)
        connection.execute(sql.SQL(MAKE).format(name=identifier, rows=sql.Literal(rows)))
        # Whoever reads first would otherwise pay for marking the rows as committed.
        connection.execute(sql.SQL("VACUUM ANALYZE {}").format(identifier))
    return name


def query(table: str) -> str:
    """Return the query for all rows of a table."""
    return f"SELECT {', '.join(COLUMNS)} FROM {table}"


def repeated(table: str, held: int, wanted: int) -> str:
    """Return a query for `wanted` rows of a table that holds `held`, some of them repeatedly.

    They come as quickly as from a table of their own, which would take long to make.
    """
    times = -(-wanted // held)
    return (
        f"SELECT * FROM ({' UNION ALL '.join([query(table)] * times)}) AS all_rows LIMIT {wanted}"
    )
