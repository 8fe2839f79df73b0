"""What a service says of an error in an answer that is otherwise a good one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reporting.core.redact import without_secrets

FIELDS = ("error", "errors")
SHOWN = 200


def error_told(fields: Mapping[str, Any]) -> str | None:
    """Return the service's words; None where such a field is absent, null, empty, zero or false."""
    said = [f"{name}: {told(fields[name])}" for name in FIELDS if fields.get(name)]
    return "; ".join(said) or None


def told(value: Any) -> str:
    """Return the beginning of what a service says, as text that every log can hold."""
    return without_secrets(str(value))[:SHOWN]
