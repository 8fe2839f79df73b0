"""How the fields of a service differ from the declared ones, which is no fault yet.

A service may add fields at any time, and may leave out those that are null.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.definition.source import Source

log = logging.getLogger(__name__)

MAX_FIELDS = 50


def field_drift(source: Source, fields: Collection[str]) -> dict[str, list[str]]:
    """Return facts for the manifest, `added_fields` and `absent_fields`, and log them.

    Args:
        source: what is declared.
        fields: names of the fields of all rows; none when there were no rows.
    """
    declared = [column.name for column in source.schema]
    differ = {
        "added_fields": sorted(map(_shown, set(fields).difference(declared)))[:MAX_FIELDS],
        "absent_fields": [name for name in declared if fields and name not in fields],
    }
    for kind, names in differ.items():
        if names:
            log.warning("Source %r, %s: %s.", source.name, kind.replace("_", " "), ", ".join(names))
    return {kind: names for kind, names in differ.items() if names}


def _shown(name: str) -> str:
    """Return a name as text that every log and database can hold; JSON allows more."""
    return name.encode(errors="backslashreplace").decode().replace("\0", r"\0")
