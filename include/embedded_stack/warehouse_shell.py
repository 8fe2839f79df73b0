"""psql on the warehouse, by the program that came with the embedded server."""

import os
import shutil
from typing import NoReturn

from embedded_stack import databases, postgres
from embedded_stack.caller import without_foreign
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout


def become(layout: Layout, query: str | None) -> NoReturn:
    """Become a psql that runs a query, or lets a person type some.

    Raises:
        StackError: the server's package holds no psql and the machine has none.
    """
    role = databases.WAREHOUSE.owner
    login = {
        "PGHOST": layout.postgres_host,
        "PGPORT": str(layout.ports.postgres),
        "PGDATABASE": databases.WAREHOUSE.name,
        "PGUSER": role,
        # Not as an argument: those show in lists of processes.
        "PGPASSWORD": postgres.password_of(layout, role),
    }
    asked = [] if query is None else ["--command", query]
    program = _program()
    os.execve(  # noqa: S606 - so that it alone has the terminal and its signals
        program, [program, "--set=ON_ERROR_STOP=1", *asked], without_foreign(os.environ) | login
    )


def _program() -> str:
    beside = postgres.binaries() / "psql"
    found = str(beside) if beside.exists() else shutil.which("psql")
    if found is None:
        raise StackError(f"no psql found, neither at {beside} nor in PATH; install one of them")
    return found
