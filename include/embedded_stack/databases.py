"""The databases of the stack and who may do what in them."""

from dataclasses import dataclass

from psycopg import sql

from embedded_stack import postgres
from embedded_stack.layout import Layout


@dataclass(frozen=True)
class Database:
    """One database, its owner, and a role that may only read it."""

    name: str
    owner: str
    reader: str | None = None


AIRFLOW = Database("airflow", owner="airflow")
WAREHOUSE = Database("warehouse", owner="reporting")
OPERATIONS = Database("operations", owner="operations_owner", reader="operations_reader")
ALL = (AIRFLOW, WAREHOUSE, OPERATIONS)


def create(layout: Layout) -> None:
    """Make roles and databases that are missing; set every password to the stored one."""
    with postgres.connect(layout, "postgres") as connection:
        roles = {row[0] for row in connection.execute("SELECT rolname FROM pg_roles")}
        databases = {row[0] for row in connection.execute("SELECT datname FROM pg_database")}
        for role in _roles():
            verb = "ALTER" if role in roles else "CREATE"
            connection.execute(
                sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(
                    sql.SQL(verb), sql.Identifier(role), postgres.password_of(layout, role)
                )
            )
        for database in ALL:
            if database.name not in databases:
                _create_database(connection, database)
    for database in ALL:
        if database.reader:
            _let_read(layout, database, database.reader)


def _roles() -> list[str]:
    return [role for database in ALL for role in (database.owner, database.reader) if role]


def _create_database(connection: postgres.Connection, database: Database) -> None:
    name = sql.Identifier(database.name)
    connection.execute(
        sql.SQL("CREATE DATABASE {} OWNER {}").format(name, sql.Identifier(database.owner))
    )
    # Each role sees its own database only.
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))


def _let_read(layout: Layout, database: Database, reader: str) -> None:
    """Tables and the schema named like the database, in reach of the reader without a prefix."""
    values = {
        "database": sql.Identifier(database.name),
        "owner": sql.Identifier(database.owner),
        "reader": sql.Identifier(reader),
    }
    statements = (
        "CREATE SCHEMA IF NOT EXISTS {database} AUTHORIZATION {owner}",
        "ALTER DATABASE {database} SET search_path = {database}, public",
        "GRANT CONNECT ON DATABASE {database} TO {reader}",
        "GRANT USAGE ON SCHEMA {database} TO {reader}",
        "GRANT SELECT ON ALL TABLES IN SCHEMA {database} TO {reader}",
        # Tables the owner makes later are covered too.
        """ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {database}
           GRANT SELECT ON TABLES TO {reader}""",
        "ALTER ROLE {reader} SET default_transaction_read_only = on",
    )
    with postgres.connect(layout, database.name) as connection:
        for statement in statements:
            connection.execute(sql.SQL(statement).format(**values))
