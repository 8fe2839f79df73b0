"""Creates the package's own tables where they are missing."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

DDL = Path(__file__).with_name("schema.sql")
MISSING = """
SELECT FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NULL
UNION ALL
SELECT FROM unnest(%s::text[], %s::text[]) AS added (name, attribute) WHERE NOT EXISTS (
    SELECT FROM pg_attribute WHERE attrelid = to_regclass(name) AND attname = attribute
)
"""
LOCK = 7_304_112_957  # any fixed number: one creator at a time


def ensure_schema(connection: psycopg.Connection[Any]) -> None:
    """Create schemas and tables unless all are there; safe for many at once.

    A warehouse of an earlier version gets the tables, columns and indexes it lacks.
    """
    if connection.execute(MISSING, _declared()).fetchone() is not None:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
            connection.execute(DDL.read_bytes())


@cache
def _declared() -> tuple[list[str], list[str], list[str]]:
    """Return what is to be there: relations; and of columns added later, table and name."""
    ddl = DDL.read_text(encoding="utf-8")
    tables = re.findall(r"^CREATE TABLE IF NOT EXISTS (\S+)", ddl, re.MULTILINE)
    indexes = re.findall(r"^CREATE INDEX IF NOT EXISTS (\S+) ON (\w+)\.", ddl, re.MULTILINE)
    added = re.findall(r"^ALTER TABLE (\S+) ADD COLUMN IF NOT EXISTS (\S+)", ddl, re.MULTILINE)
    relations = [*tables, *(f"{schema}.{index}" for index, schema in indexes)]
    return relations, [table for table, _ in added], [column for _, column in added]
