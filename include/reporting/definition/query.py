"""The query of a source: where its text is, and whether its placeholders can be filled.

Both are looked at when the report is built, so that no run is the first to notice.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from reporting.errors import DefinitionError, choices

# As the database driver reads a percent sign.
_PERCENT = re.compile(r"%(?:%|\((?P<name>[^()\n]*)\)[sbt])?")


def is_file(sql: str) -> bool:
    """Say whether `sql` names a file and is no query itself."""
    return sql.endswith(".sql")


def query_text(where: str, sql: str, folder: Path) -> str:
    """Return the query, read from a file of `folder` when `sql` names one.

    Raises:
        DefinitionError: there is no such file, or it holds no query.
    """
    if not is_file(sql):
        return sql
    try:
        text = (folder / sql).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        beside = tuple(path.name for path in folder.glob("*.sql"))
        raise DefinitionError(
            f"{where}: sql={sql!r} cannot be read in {folder.name}/ ({type(error).__name__}); "
            f"write a query, or name a UTF-8 file beside the report's; {choices(beside, sql)}"
        ) from None
    if not text.strip():
        raise DefinitionError(f"{where}: sql={sql!r} is an empty file; write the query into it.")
    return text


def check_query(where: str, text: str, allowed: Collection[str]) -> None:
    """Raise when a query names a placeholder that nothing fills, or a percent sign is alone.

    Raises:
        DefinitionError: naming the line, what stands there and what is allowed.
    """
    for found in _PERCENT.finditer(text):
        if found[0] == "%%" or found["name"] in allowed:
            continue
        line = text.count("\n", 0, found.start()) + 1
        if found["name"] is None:
            near = text[found.start() :].partition("\n")[0][:10]
            fault = f"{near!r}: a plain percent sign is written %%"
        else:
            fault = f"nothing fills {found[0]}"
        known = tuple(f"%({name})s" for name in allowed)
        raise DefinitionError(f"{where}, line {line}: {fault}; {choices(known, found[0])}")
