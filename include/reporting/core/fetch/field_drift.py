"""How the fields of a service differ from the declared ones.

A service may add fields at any time, and may leave out one that is NULL. A field that no row has
was more likely renamed: figures made of NULLs alone would be published for whole ones.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

from reporting.errors import ContractError

if TYPE_CHECKING:
    from reporting.definition.source import Source

log = logging.getLogger(__name__)

MAX_FIELDS = 50


def field_drift(source: Source, fields: Collection[str]) -> dict[str, list[str]]:
    """Return facts for the manifest, `added_fields` and `absent_fields`, and log them.

    Args:
        source: what is declared.
        fields: names of the fields of all rows; none when there were no rows.

    Raises:
        ContractError: no row has a declared field, and the source does not say that it may be so.
    """
    declared = [column.name for column in source.schema]
    added = sorted(map(_shown, set(fields).difference(declared)))[:MAX_FIELDS]
    absent = [name for name in declared if fields and name not in fields]
    if lost := [name for name in absent if name not in source.may_be_absent]:
        raise ContractError(
            f"Source {source.name!r}: no row has {_quoted(lost)}. Fields that are not declared: "
            f"{_quoted(added) or 'none'}. Correct `columns`, or name it in `may_be_absent` if the "
            "service leaves out what is NULL."
        )
    differ = {"added_fields": added, "absent_fields": absent}
    for kind, names in differ.items():
        if names:
            log.warning("Source %r, %s: %s.", source.name, kind.replace("_", " "), ", ".join(names))
    return {kind: names for kind, names in differ.items() if names}


def _quoted(names: list[str]) -> str:
    return ", ".join(map(repr, names))


def _shown(name: str) -> str:
    """Return a name as text that every log and database can hold; JSON allows more."""
    return name.encode(errors="backslashreplace").decode().replace("\0", r"\0")
