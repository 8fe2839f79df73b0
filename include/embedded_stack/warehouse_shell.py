"""psql on a database of the stack, by the program that came with the embedded server."""

import os
import shutil
from collections.abc import Sequence
from typing import NoReturn

from embedded_stack import databases, postgres
from embedded_stack.caller import without_foreign
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout

# What a person may look into; Airflow's own database is Airflow's alone.
OPEN = {one.name: one for one in (databases.WAREHOUSE, databases.OPERATIONS)}


def become(layout: Layout, words: Sequence[str]) -> NoReturn:
    """Become a psql that runs a query, or lets a person type some.

    Args:
        layout: of the stack.
        words: name of the database, unless it is the warehouse; the query, unless a person types.

    Raises:
        StackError: there are other words, or the server's package holds no psql and the machine
            has none.
    """
    database, query = asked(words)
    role = database.reader or database.owner
    login = {
        "PGHOST": layout.postgres_host,
        "PGPORT": str(layout.ports.postgres),
        "PGDATABASE": database.name,
        "PGUSER": role,
        # Not as an argument: those show in lists of processes.
        "PGPASSWORD": postgres.password_of(layout, role),
    }
    once = [] if query is None else ["--command", query]
    program = _program()
    os.execve(  # noqa: S606 - so that it alone has the terminal and its signals
        program, [program, "--set=ON_ERROR_STOP=1", *once], without_foreign(os.environ) | login
    )


def asked(words: Sequence[str]) -> tuple[databases.Database, str | None]:
    """Return the database and the query that words of a command line name.

    Raises:
        StackError: they name anything else.
    """
    named = OPEN.get(words[0]) if words else None
    rest = words if named is None else words[1:]
    # A single word is no query, so it is the name of a database that is not here.
    if len(rest) > 1 or (rest and named is None and rest[0].isidentifier()):
        raise StackError(
            f"psql: {' '.join(map(repr, words))}; allowed: [{'|'.join(OPEN)}] [one query in quotes]"
        )
    return named or databases.WAREHOUSE, rest[0] if rest else None


def _program() -> str:
    beside = postgres.binaries() / "psql"
    found = str(beside) if beside.exists() else shutil.which("psql")
    if found is None:
        raise StackError(f"no psql found, neither at {beside} nor in PATH; install one of them")
    return found
