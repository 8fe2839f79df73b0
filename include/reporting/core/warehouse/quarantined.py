"""Keeps the rows a release was made without, each with its reason (R33)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

    from reporting.core.fit import Refused

INSERT = """
INSERT INTO reporting.quarantined_row
    (release_id, source, row_number, column_name, reason, row_values)
VALUES (%s, %s, %s, %s, %s, %s)
"""
REPLACED = "\ufffd"  # what Unicode has for a character that cannot be shown


def keep_quarantined(
    connection: psycopg.Connection[Any],
    release_id: int,
    quarantined: Mapping[str, Sequence[Refused]],
) -> None:
    """Write the rows set aside, per source, inside the publishing transaction."""
    rows = [
        (release_id, source, row.row, row.column, _text(row.reason), json.dumps(row.values))
        for source, refused in quarantined.items()
        for row in refused
    ]
    with connection.cursor() as cursor:
        cursor.executemany(INSERT, rows)


def _text(reason: str) -> str:
    """Return a reason as text a database can hold; the row itself is kept as it was."""
    return reason.replace("\0", REPLACED).encode(errors="replace").decode()
