"""Params: what a person may choose when a run is triggered.

A value keeps the type it was sent with: text is never read as a number, and `'42'` is no integer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from reporting.definition.checked import checked
from reporting.definition.fits import LONGEST_REPR, got
from reporting.definition.names import is_storable
from reporting.errors import DefinitionError, InputError, choices

PERIOD = "period"
NAMED_FAULTS = 10
# What a form shows beside a value says nothing about the value.
UNSAID = {"title", "description", "description_md", "section", "examples", "values_display"}
# Keywords of JSON Schema that allow and refuse nothing.
ANNOTATIONS = ("$comment", "$defs", "default", "deprecated", "else", "then")
FORMS = {"date": "a day as YYYY-MM-DD", "month": "a month as YYYY-MM"}


@checked
@dataclass(frozen=True)
class Param:
    """One choice, described by JSON Schema keywords; Airflow's form is made from it.

    Attributes:
        default: the value when none is given; must be allowed itself.
        type: JSON type or types, e.g. `["null", "string"]`.
        pattern: regular expression that a text must match; a closing `$` is the very end of the
            text, also before a line feed.
        enum: the allowed values.
        title: label in the form.
        description: help text in the form.
        more: further JSON Schema keywords, e.g. `{"minimum": 1}`.
    """

    default: Any = None
    type: str | list[str] = "string"
    pattern: str | None = None
    enum: list[Any] | None = None
    title: str | None = None
    description: str | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the value."""
        named = {
            "type": self.type,
            "pattern": self.pattern,
            "enum": self.enum,
            "title": self.title,
            "description": self.description,
        }
        return {key: value for key, value in named.items() if value is not None} | dict(self.more)


TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
REFRESH = "refresh"
REFRESH_PARAM = Param(
    False,
    type="boolean",
    title="Make a new version",
    description="Off: figures that are published already are not made again. On: they are fetched "
    "and computed anew, and published as the next version.",
)


def check_schema(where: str, param: Param) -> None:
    """Refuse keywords that are no JSON Schema, so that no run can be the first to notice.

    Raises:
        DefinitionError: naming the keyword and what is wrong with it.
    """
    from jsonschema import Draft202012Validator, SchemaError

    known = (*Draft202012Validator.VALIDATORS, *UNSAID, *ANNOTATIONS)
    for keyword in param.more:
        if keyword not in known:
            raise DefinitionError(f"{where}: more={keyword!r}; {choices(known, keyword)}")
    try:
        Draft202012Validator.check_schema(param.schema)
    except SchemaError as error:
        keyword = ".".join(map(str, error.path)) or "schema"
        if error.path and error.path[0] == "type":
            types = [param.type] if isinstance(param.type, str) else param.type or []
            wrong = next((one for one in types if one not in TYPES), types)
            raise DefinitionError(f"{where}: type {wrong!r}; {choices(TYPES, wrong)}") from None
        raise DefinitionError(f"{where}: {keyword}: {error.message}") from None


def checked_params(declared: Mapping[str, Param], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return every declared param with its value: the given one, else its default.

    Raises:
        InputError: a name is unknown or a value is not allowed; the faults are named, of a flood
            of them the first ones.
    """
    faults = [
        f"Param {got(name)} is unknown; {choices(tuple(declared), str(name)[:LONGEST_REPR])}"
        for name in given
        if name not in declared
    ]
    values = {name: given.get(name, param.default) for name, param in declared.items()}
    found = (fault_in(name, values[name], param.schema) for name, param in declared.items())
    # What is wrong with a declared param stands first: its number is bounded.
    faults = [*filter(None, found), *faults]
    if faults:
        named, more = faults[:NAMED_FAULTS], len(faults) - NAMED_FAULTS
        rest = [f"And {more} more."] if more > 0 else []
        raise InputError(" ".join([*named, *rest, "Nothing was fetched; trigger again."]))
    return values


def fault_in(name: str, value: object, schema: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the value of a param, or None; as Airflow's form judges it."""
    from jsonschema import Draft202012Validator, FormatChecker

    strict, pattern = dict(schema), str(schema.get("pattern", ""))
    if pattern.endswith("$") and not pattern.endswith("\\$"):
        strict["pattern"] = pattern[:-1] + r"\Z"
    judge = Draft202012Validator(strict, format_checker=FormatChecker())
    if _is_json(value) and judge.is_valid(value):
        return None
    return f"Param {name!r} is {got(value)}; allowed: {_in_words(schema)}."


def _is_json(value: object) -> bool:
    """Say whether the value can be sent, compared and stored as JSON text."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        json.loads(text, parse_int=_of_64_bits)
    except (TypeError, ValueError):
        return False
    return "\\u0000" not in text and is_storable(text)


def _in_words(schema: Mapping[str, Any]) -> str:
    types = schema.get("type", ())
    if form := FORMS.get(str(schema.get("format"))):
        return form + (", or nothing" if "null" in types else "")
    words = {key: value for key, value in schema.items() if key not in UNSAID}
    if isinstance(types, list):
        words["type"] = " or ".join(types)
    return ", ".join(f"{key} {value}" for key, value in words.items())


def _of_64_bits(text: str) -> int:
    number = int(text)
    if not -(2**63) <= number < 2**63:  # Airflow's processes cannot tell each other more
        raise ValueError(text)
    return number
