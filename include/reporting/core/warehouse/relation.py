"""The relations of one published table: all releases, and the views readers use.

| relation                        | rows                                                     |
|---------------------------------|----------------------------------------------------------|
| `<report>__<table>`             | current releases made with default params                |
| `<report>__<table>__by_params`  | current releases of every choice of params, with `params`|
| `<report>__<table>__releases`   | every release that is kept                               |

A release made for one carrier only must not add to the figures of all carriers, so the plain
view leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporting.errors import ContractError

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

    from reporting.definition.columns import Column
    from reporting.definition.tables import Table

SCHEMA = "results"
HOW_TO = "docs/how-to/change-a-table.md"
OF_RELEASE = ("period", "params")
SQL_TYPES = {
    "int64": "bigint",
    "int32": "integer",
    "int16": "smallint",
    "float64": "double precision",
    "float32": "real",
    "text": "text",
    "bool": "boolean",
    "date": "date",
    "time": "time without time zone",
    "timestamp": "timestamp without time zone",
    "timestamptz": "timestamp with time zone",
    "interval": "interval",
    "bytes": "bytea",
    "uuid": "uuid",
    "json": "json",
    "jsonb": "jsonb",
}
VIEW = """
CREATE OR REPLACE VIEW {view} AS
SELECT {columns}
FROM {rows} AS t
JOIN reporting.current_release AS c USING (release_id)
JOIN reporting.release AS r USING (release_id)
{condition}
"""


def rows_name(report: str, table: str) -> str:
    """Return the name of the table that holds all releases."""
    return f"{report}__{table}__releases"


def view_name(report: str, table: str) -> str:
    """Return the name of the view that readers use."""
    return f"{report}__{table}"


def sql_type(column: Column) -> str:
    """Return the PostgreSQL type of a column, as `format_type` spells it."""
    if column.is_list:
        return f"{sql_type(column.element)}[]"
    if column.kind == "decimal":
        return f"numeric({column.precision},{column.scale})"
    return SQL_TYPES[column.kind]


def ensure_relations(connection: psycopg.Connection[Any], report: str, table: Table) -> None:
    """Create table and views where missing, and add columns that the definition has gained.

    New columns come last in the views, and a column that the definition has dropped stays, empty
    in later releases: so a view is only ever extended and keeps the grants given to its readers.
    Runs inside the caller's transaction; the caller holds the report's lock.

    Raises:
        ContractError: a column is kept with another type, or the table with another key, than
            the one now declared.
    """
    check_relation(connection, report, table)
    name = rows_name(report, table.name)
    existing = _columns(connection, name)
    if not existing:
        _create(connection, report, table)
    added = _add_missing(connection, name, table, existing) if existing else True
    for view, condition in _views(report, table):
        # One that is not there was dropped by hand, to change the type of a column.
        if added or not _columns(connection, view):
            _create_view(connection, view, table, name, condition)


def check_relation(connection: psycopg.Connection[Any], report: str, table: Table) -> None:
    """Demand that rows of the table as now declared fit what is kept of it; changes nothing.

    Raises:
        ContractError: a column is kept with another type, or the table with another key, than
            the one now declared.
    """
    existing = _columns(connection, rows_name(report, table.name))
    if existing:
        _check_key(connection, report, table)
        _check_types(report, table, existing)


def _columns(connection: psycopg.Connection[Any], name: str) -> dict[str, str]:
    rows = connection.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        (f'{SCHEMA}."{name}"',),
    ).fetchall()
    return dict(rows)


def _create(connection: psycopg.Connection[Any], report: str, table: Table) -> None:
    from psycopg import sql

    # No foreign key to reporting.release: to create it would lock that table against every
    # other report that publishes, and two first publishes against each other for good.
    name = rows_name(report, table.name)
    columns = sql.SQL(", ").join(_column(column) for column in table.schema)
    key = sql.SQL(", ").join(sql.Identifier(part) for part in table.key)
    connection.execute(
        sql.SQL(
            "CREATE TABLE {rows} (release_id bigint NOT NULL, {columns}, "
            "PRIMARY KEY (release_id, {key}))"
        ).format(rows=sql.Identifier(SCHEMA, name), columns=columns, key=key)
    )


def _check_key(connection: psycopg.Connection[Any], report: str, table: Table) -> None:
    name = rows_name(report, table.name)
    rows = connection.execute(
        "SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid "
        "AND attnum = ANY (indkey) WHERE indrelid = to_regclass(%s) AND indisprimary",
        (f'{SCHEMA}."{name}"',),
    ).fetchall()
    kept = sorted({row[0] for row in rows} - {"release_id"})
    if kept != sorted(table.key):
        raise ContractError(
            f"Table {table.name!r}: kept with key ({', '.join(kept)}), now declared with "
            f"({', '.join(table.key)}); rename the table, or change the primary key of "
            f"{SCHEMA}.{name} by hand, as {HOW_TO} shows."
        )


def _column(column: Column) -> sql.Composed:
    from psycopg import sql

    return sql.SQL("{} {}").format(sql.Identifier(column.name), sql.SQL(sql_type(column)))


def _check_types(report: str, table: Table, existing: dict[str, str]) -> None:
    for column in table.schema:
        kept, wanted = existing.get(column.name), sql_type(column)
        if kept not in (None, wanted):
            raise ContractError(
                f"Table {table.name!r}, column {column.name!r}: kept as {kept}, now declared as "
                f"{column.type}; rename the column, or make it {wanted} in "
                f"{SCHEMA}.{rows_name(report, table.name)} by hand, as {HOW_TO} shows."
            )


def _add_missing(
    connection: psycopg.Connection[Any], name: str, table: Table, existing: dict[str, str]
) -> bool:
    from psycopg import sql

    missing = [column for column in table.schema if column.name not in existing]
    for column in missing:
        connection.execute(
            sql.SQL("ALTER TABLE {} ADD COLUMN {}").format(
                sql.Identifier(SCHEMA, name), _column(column)
            )
        )
    return bool(missing)


def _views(report: str, table: Table) -> tuple[tuple[str, str], ...]:
    """Return each view with the condition that picks its releases."""
    plain = view_name(report, table.name)
    return (plain, "WHERE r.is_default"), (f"{plain}__by_params", "")


def _create_view(
    connection: psycopg.Connection[Any], view: str, table: Table, rows: str, condition: str
) -> None:
    from psycopg import sql

    own = ("period", "release_id") if condition else ("period", "params", "release_id")
    wanted = [*own, *(column.name for column in table.schema)]
    kept = list(_columns(connection, view))
    ordered = [*kept, *(name for name in wanted if name not in kept)]
    columns = [sql.Identifier("r" if name in OF_RELEASE else "t", name) for name in ordered]
    connection.execute(
        sql.SQL(VIEW).format(
            view=sql.Identifier(SCHEMA, view),
            columns=sql.SQL(", ").join(columns),
            rows=sql.Identifier(SCHEMA, rows),
            condition=sql.SQL(condition),
        )
    )
