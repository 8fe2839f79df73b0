"""Turns what was typed into the params of a run, by the types the report declares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reporting.definition.params import PERIOD
from reporting.errors import InputError, choices

Schemas = Mapping[str, Mapping[str, Any]]


def asked_conf(declared: Schemas, period: str | None, given: Sequence[str]) -> dict[str, Any]:
    """Return the conf of the run; whether values are allowed is for Airflow to say.

    Args:
        declared: JSON Schema per param.
        period: the period asked for; None for the last complete one.
        given: `name=value` texts.

    Raises:
        InputError: a text is no `name=value`, a name is unknown or named twice, or a value is
            not of the declared type.
    """
    conf: dict[str, Any] = {} if period is None else {PERIOD: period}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"--param {text!r}: write it as name=value.")
        if name not in declared:
            raise InputError(f"Param {name!r} is unknown; {choices(tuple(declared), name)}")
        if name in conf:
            raise InputError(f"Param {name!r} is given twice.")
        conf[name] = _value(name, value, declared[name])
    return conf


def _value(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    declared = schema.get("type", "string")
    types = [declared] if isinstance(declared, str) else list(declared)
    if text == "" and "null" in types:
        return None
    if "string" in types:
        return text
    try:
        return json.loads(text)
    except ValueError:
        raise InputError(f"Param {name!r} is {text!r}; allowed: {' or '.join(types)}.") from None
