"""Params as fields of a form, and what was typed into them as values.

A form sends text only. What it says is read by the param's JSON Schema; text that fits no type is
left as text, and the check of the params then says what is allowed.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from reporting.core.run import is_same

Kind = Literal["checkbox", "select", "number", "date", "password", "text", "lines", "json"]
# As JSON has it, which knows no zeros in front and no other blanks.
NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,399})(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?\Z")
BLANKS = " \t\r\n"
NUMBERS = {"integer", "number"}
LONG_TEXT = 200  # characters that fit no single line
ON = "on"


@dataclass(frozen=True)
class Choice:
    """One value to choose; `code` is what the form sends for it."""

    code: str
    text: str
    is_chosen: bool


def kind_of(schema: Mapping[str, Any]) -> Kind:
    """Return which control asks for a value."""
    types, form = types_of(schema), schema.get("format")
    values = types - {"null"}
    if "enum" in schema or (values == {"boolean"} and "null" in types):
        return "select"
    if values == {"boolean"}:
        return "checkbox"
    if values and values <= NUMBERS:
        return "number"
    if values == {"string"}:
        return _kind_of_text(str(form), int(schema.get("maxLength") or 0))
    return "text" if values and not values & {"array", "object"} else "json"


def _kind_of_text(form: str, longest: int) -> Kind:
    named: dict[str, Kind] = {"date": "date", "password": "password", "multiline": "lines"}
    return named.get(form) or ("lines" if longest > LONG_TEXT else "text")


def types_of(schema: Mapping[str, Any]) -> set[str]:
    """Return the JSON types that are allowed."""
    found = schema.get("type", ())
    return {found} if isinstance(found, str) else set(found)


def choices_of(schema: Mapping[str, Any], typed: str, nothing: str) -> tuple[Choice, ...]:
    """Return the values to choose from; `nothing` is what null is called."""
    return tuple(
        Choice(str(place), nothing if value is None else plain(value), str(place) == typed)
        for place, value in enumerate(_allowed(schema))
    )


def typed_of(schema: Mapping[str, Any], value: Any) -> str:
    """Return what somebody would have typed for a value; a secret is never shown again."""
    match kind_of(schema):
        case "checkbox":
            return ON if value is True else ""
        case "select":
            places = enumerate(_allowed(schema))
            return next((str(n) for n, one in places if _is_equal(one, value)), "")
        case "password":
            return ""
        case "json":
            return "" if value is None else json.dumps(value, ensure_ascii=False)
    return "" if value is None else plain(value)


def value_of(schema: Mapping[str, Any], typed: str | None, default: Any) -> Any:
    """Return what was meant.

    Args:
        schema: of the param.
        typed: what the form sent; None when it sent nothing for this field.
        default: of the param; a field that was left as it came says no more than that.
    """
    kind = kind_of(schema)
    text = (typed or "").replace("\r\n", "\n")
    if text == typed_of(schema, default) or (typed is None and kind != "checkbox"):
        return default
    if kind == "checkbox":
        return text != ""
    if kind == "select":
        return _chosen(_allowed(schema), text)
    if text == "":
        return _nothing(types_of(schema), default)
    return text if kind in ("date", "password", "lines") else _read(types_of(schema), text)


def _nothing(types: set[str], default: Any) -> Any:
    if "null" in types:
        return None
    return "" if "string" in types else default


def _read(types: set[str], text: str) -> Any:
    """Return text as the first type it fits: never as a number where only text is allowed."""
    if types & NUMBERS and NUMBER.match(text.strip(BLANKS)):
        return json.loads(text)
    if "boolean" in types and text in ("true", "false"):
        return text == "true"
    if types & {"array", "object"} or not types:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _allowed(schema: Mapping[str, Any]) -> Sequence[Any]:
    return schema.get("enum") or ([None] if "null" in types_of(schema) else []) + [True, False]


def _chosen(allowed: Sequence[Any], typed: str) -> Any:
    is_place = typed.isascii() and typed.isdigit() and len(typed) < len("100000")
    return allowed[int(typed)] if is_place and int(typed) < len(allowed) else typed


def _is_equal(one: Any, other: Any) -> bool:
    return is_same({"": one}, {"": other})


def plain(value: Any) -> str:
    """Return a value as people read it: text as it is, all else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
