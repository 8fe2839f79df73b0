"""Creates the package's own tables where they are missing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

DDL = Path(__file__).with_name("schema.sql")
LOCK = 7_304_112_957  # any fixed number: one creator at a time


def ensure_schema(connection: psycopg.Connection[Any]) -> None:
    """Create schemas and tables unless all are there; safe for many at once.

    A warehouse of an earlier version gets the tables it lacks.
    """
    ddl = DDL.read_text(encoding="utf-8")
    wanted = re.findall(r"^CREATE TABLE IF NOT EXISTS (\S+)", ddl, re.MULTILINE)
    missing = connection.execute(
        "SELECT name FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NULL", (wanted,)
    ).fetchone()
    if missing is not None:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            connection.execute(ddl.encode())
