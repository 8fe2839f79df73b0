"""A JSON schema in words of HTML: its type, what is allowed, what holds when nothing is sent."""

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

Schema = Mapping[str, Any]
TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "object",
    "null": "null",
}
FORMATS = {"date-time": "time such as 2013-07-04T06:00:00Z", "binary": "bytes"}
LIMITS = {
    "minimum": "{} or more",
    "maximum": "{} or less",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
}
NOTHING = "\N{EN DASH}"


def type_words(schema: Schema) -> str:
    """Return the type; a model is a link to its section."""
    if reference := schema.get("$ref"):
        name = escape(reference.rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if among := schema.get("anyOf"):
        return " or ".join(dict.fromkeys(type_words(one) for one in among))
    if schema.get("type") == "array":
        return f"list of {type_words(schema['items'])}"
    held = schema.get("additionalProperties")
    if isinstance(held, Mapping) and held:
        return f"object of {type_words(held)}"
    told = FORMATS.get(schema.get("format", ""))
    return told or TYPES.get(schema.get("type", ""), "anything")


def allowed_words(schema: Schema) -> str:
    """Return which values are allowed; nothing where all of the type are."""
    return "; ".join(dict.fromkeys(_allowed(schema)))


def default_words(schema: Schema, is_required: bool) -> str:
    """Return what holds when nothing is sent."""
    if is_required:
        return "required"
    return NOTHING if schema.get("default") is None else _code(schema["default"])


def _allowed(schema: Schema) -> Iterator[str]:
    for one in (*schema.get("anyOf", ()), *filter(None, [schema.get("items")])):
        yield from _allowed(one)
    if "enum" in schema:
        yield ", ".join(_code(value) for value in schema["enum"])
    for rule, words in LIMITS.items():
        if rule in schema:
            yield words.format(f"{schema[rule]:,.0f}")
    if "examples" in schema:
        yield "such as " + ", ".join(_code(value) for value in schema["examples"])


def _code(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"<code>{escape(text)}</code>"
