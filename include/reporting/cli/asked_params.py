"""Turns what was typed into the params of a run, by the types the report declares."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from reporting.definition.params import fault_in
from reporting.errors import InputError, choices

Schemas = Mapping[str, Mapping[str, Any]]


def asked_conf(
    declared: Schemas, built_in: Mapping[str, Any], given: Sequence[str]
) -> dict[str, Any]:
    """Return the conf of the run.

    Args:
        declared: JSON Schema per param.
        built_in: the params for which the command has options of its own, where they were given.
        given: `name=value` texts.

    Raises:
        InputError: a text is no `name=value`, a name is unknown or named twice, or a value is
            not allowed; all faults are named.
    """
    conf = dict(built_in)
    faults = []
    for text in given:
        name, equals, value = text.partition("=")
        if fault := _fault_in_name(name, equals, declared, conf):
            faults.append(fault)
        else:
            conf[name] = _value(value, declared[name])
    found = (fault_in(name, value, declared.get(name, {})) for name, value in conf.items())
    faults += [fault for fault in found if fault]
    if faults:
        raise InputError(" ".join(faults))
    return conf


def _fault_in_name(
    name: str, equals: str, declared: Schemas, known: Mapping[str, Any]
) -> str | None:
    if not equals:
        return f"--param {name!r}: write it as name=value."
    if name not in declared:
        return f"Param {name!r} is unknown; {choices(tuple(declared), name)}"
    return f"Param {name!r} is given twice." if name in known else None


def _value(text: str, schema: Mapping[str, Any]) -> Any:
    declared = schema.get("type", "string")
    types = [declared] if isinstance(declared, str) else list(declared)
    if text == "" and "null" in types:
        return None
    if "string" in types:
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text  # no value of such a type, and shown as it was typed
