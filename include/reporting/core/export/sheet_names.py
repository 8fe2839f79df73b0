r"""Names that Excel accepts for sheets.

- Not allowed: `[ ] : * ? / \` and characters XML cannot hold; each becomes `_`.
- No apostrophe or blank at either end; they are taken away.
- At most 31 UTF-16 units; a longer name is cut, never inside a character.
- Unique without regard to case; a later double gets ` (2)`, ` (3)`, … within the 31 units.
- `History` is Excel's own; it becomes `History_`. An empty name becomes `Sheet`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from reporting.core.export.xml_text import ILLEGAL

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_UNITS = 31
_FORBIDDEN = re.compile(rf"[\[\]:*?/\\\t\r\n]|{ILLEGAL.pattern}")
_ENDS = re.compile(r"\A['\s]+|['\s]+\Z")


def sheet_names(titles: Iterable[str]) -> list[str]:
    """Return one allowed name for each title, in order, all different for Excel."""
    taken: set[str] = set()
    return [_unique(_clean(title), taken) for title in titles]


def _clean(title: str) -> str:
    name = _cut(_FORBIDDEN.sub("_", title), MAX_UNITS) or "Sheet"
    return f"{name}_" if _key(name) == "history" else name


def _unique(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while _key(candidate) in taken:
        number += 1
        suffix = f" ({number})"
        candidate = _cut(name, MAX_UNITS - len(suffix)) + suffix
    taken.add(_key(candidate))
    return candidate


def _cut(name: str, units: int) -> str:
    # Half a surrogate pair at the cut is dropped by "ignore".
    kept = _ENDS.sub("", name).encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore")
    return _ENDS.sub("", kept)


def _key(name: str) -> str:
    # Stricter than Excel, whose own table of cases is not published.
    return unicodedata.normalize("NFKC", name.lower()).casefold()
