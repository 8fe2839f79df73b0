"""What a source asks for, filled from the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reporting.definition.placeholders import filled


def request_body(request: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request with its placeholders filled; a text that is only an empty one is null."""

    def fill(value: Any) -> Any:
        if isinstance(value, str):
            return filled(value, values)
        if isinstance(value, Mapping):
            return {key: fill(item) for key, item in value.items()}
        if isinstance(value, Sequence):
            return [fill(item) for item in value]
        return value

    return {key: fill(value) for key, value in request.items()}
