"""A database of a test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg
from psycopg import sql

from embedded_stack.stack import Stack

SUPERUSER = "postgres"
PLAIN = "STRATEGY FILE_COPY"
WITHOUT_ENCODING = "TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'"


@contextmanager
def own_database(stack: Stack, how: str = PLAIN) -> Iterator[str]:
    """Give the connection string of an empty database, and drop it afterwards.

    Args:
        stack: where it is made.
        how: what stands behind `CREATE DATABASE name`.
    """
    name = f"t_{uuid4().hex[:12]}"
    made = sql.SQL("CREATE DATABASE {} " + how).format(sql.Identifier(name))
    with psycopg.connect(stack.dsn("postgres", SUPERUSER), autocommit=True) as admin:
        admin.execute(made)
        try:
            yield stack.dsn(name, SUPERUSER)
        finally:
            admin.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))
