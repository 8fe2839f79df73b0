"""What the server refuses while rows are copied, by table, row and column.

Rows fit their declaration by then, so this is the last resort: somebody has given the kept table
a rule of its own, or a limit of PostgreSQL is met, such as the longest key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reporting.core.warehouse.relation import SCHEMA, rows_name
from reporting.errors import ContractError

if TYPE_CHECKING:
    import psycopg

    from reporting.definition.tables import Table

LONGEST_DETAIL = 300
# Classes of SQLSTATE: data, constraints, limits such as the longest key, and a trigger's own.
OF_DATA = ("22", "23", "54", "P0")
MANY_ROWS_AT_ONCE = "RelationGetBufferForTuple"  # finds a row too big; names the last line read


@contextmanager
def refusals_named(report: str, table: Table) -> Iterator[None]:
    """Name the place when the server refuses data; any other error is let through as it is.

    Raises:
        ContractError: a value, or a row, is refused.
    """
    from psycopg import Error

    try:
        yield
    except Error as error:
        if (error.sqlstate or "")[:2] not in OF_DATA:
            raise
        rows = rows_name(report, table.name)
        raise ContractError(
            f"Table {table.name!r}{_place(error.diag, rows, table)}: {_words(error)} The value "
            f"is as declared: change it in compute, or change by hand what {SCHEMA}.{rows} allows."
        ) from error


def _place(said: psycopg.errors.Diagnostic, rows: str, table: Table) -> str:
    # Only the words between name, number and column are translated: COPY t, line 3, column x: "…"
    found = re.search(
        rf"^COPY {re.escape(rows)}\D+(\d+)(.*)", said.context or "", re.MULTILINE | re.DOTALL
    )
    if found is None or said.source_function == MANY_ROWS_AT_ONCE:
        return ""
    names = [
        name for name in table.columns if re.match(rf",\s*\S+\s+{re.escape(name)}: ", found[2])
    ]
    column = max(names, key=len, default=said.column_name)
    return f", row {found[1]}" + (f", column {column!r}" if column else "")


def _words(error: psycopg.Error) -> str:
    said = error.diag
    detail = (said.message_detail or "")[:LONGEST_DETAIL]
    return f"{said.message_primary} (SQLSTATE {error.sqlstate}). {detail}".rstrip()
