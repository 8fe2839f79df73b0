"""JSON in which each number has all its digits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any


def json_text(value: Any) -> str:
    """Write what was decoded with `parse_float=Decimal` as JSON again; text stays Unicode."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{json_text(str(k))}:{json_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(json_text, value)) + "]"
    return str(value) if isinstance(value, Decimal) else json.dumps(value, ensure_ascii=False)
