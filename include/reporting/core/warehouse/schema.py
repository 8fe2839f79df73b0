"""Creates the package's own tables where they are missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

DDL = Path(__file__).with_name("schema.sql")
LOCK = 7_304_112_957  # any fixed number: one creator at a time


def ensure_schema(connection: psycopg.Connection[Any]) -> None:
    """Create schemas and tables unless the last of them is there; safe for many at once."""
    found = connection.execute("SELECT to_regclass('reporting.receipt')").fetchone()
    if found is None or found[0] is None:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            connection.execute(DDL.read_bytes())
