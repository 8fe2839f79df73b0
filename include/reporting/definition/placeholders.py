"""Placeholders `{name}` in a query parameter or an object key: checked early, filled late.

Only a brace pair around a word is a placeholder; every other brace stays as it is, so that a
value may hold JSON.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from reporting.errors import DefinitionError, choices

BUILT_IN = ("period", "period_start", "period_end")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


def check_placeholders(where: str, text: str, allowed: Collection[str]) -> None:
    """Raise when `text` names a placeholder that nothing fills.

    Raises:
        DefinitionError: naming the placeholder and those that are allowed.
    """
    for name in _PLACEHOLDER.findall(text):
        if name not in allowed:
            raise DefinitionError(
                f"{where}={text!r}: nothing fills {{{name}}}; {choices(tuple(allowed), name)}"
            )


def filled(text: str, values: Mapping[str, Any]) -> str | None:
    """Return `text` with its placeholders filled; None when it is just one and has no value.

    Times are ISO texts, truth values `true` and `false`, and None within a longer text is empty.
    """
    whole = _PLACEHOLDER.fullmatch(text)
    if whole and values[whole[1]] is None:
        return None
    return _PLACEHOLDER.sub(lambda match: _in_text(values[match[1]]), text)


def _in_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value.isoformat()) if hasattr(value, "isoformat") else str(value)
