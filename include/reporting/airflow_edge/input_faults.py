"""What is wrong with a request, in plain sentences: what was sent, and what is allowed."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from fastapi import Request
from fastapi.exceptions import RequestValidationError

from reporting.errors import choices

SHOWN = 40
BODY = ("body",)
AS_JSON = "allowed: a JSON object, sent with the header `Content-Type: application/json`."
# By the start of pydantic's name of a fault; what is in braces stands in its context.
ALLOWED = {
    "int_": "a whole number",
    "bool_": "true or false",
    "dict_": "a JSON object",
    "model_": "a JSON object",
    "list_": "a list",
    "string_type": "a text",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} characters",
    "string_pattern": "text without the character NUL",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
}


def input_text(request: Request, error: RequestValidationError) -> str:
    """Return a sentence for each fault of what a request has sent."""
    known = tuple(_known_fields(request))
    return " ".join(_sentence(fault, known) for fault in error.errors())


def _known_fields(request: Request) -> Iterator[str]:
    """Return the names that the route takes in a body."""
    body = getattr(request.scope.get("route"), "body_field", None)
    shape = getattr(getattr(body, "field_info", None), "annotation", None)
    for model in (shape, *get_args(shape)):
        yield from getattr(model, "model_fields", ())


def _sentence(fault: Mapping[str, Any], known: Sequence[str]) -> str:
    if fault["type"] == "json_invalid":
        what, at = fault["ctx"]["error"], fault["loc"][-1]
        return f"The body is no JSON: {what} at character {at}; {AS_JSON}"
    if tuple(fault["loc"]) == BODY:
        return f"{_of_body(fault)}; {AS_JSON}"
    name = str(fault["loc"][:2][-1])[:SHOWN]
    if fault["type"] == "extra_forbidden":
        return f"Field {name} is unknown; {choices(tuple(known), name)}"
    if fault["type"] == "missing":
        return f"{name} is missing."
    if fault["type"] == "value_error":
        return f"{name}{_shown(fault)} {fault['ctx']['error']}."
    return f"{name}{_shown(fault)} is not allowed; {_allowed(fault)}"


def _of_body(fault: Mapping[str, Any]) -> str:
    if fault["type"] == "missing":
        return "The body is missing"
    is_text = isinstance(fault.get("input"), bytes | str)
    return "The body was not sent as JSON" if is_text else "The body is no JSON object"


def _shown(fault: Mapping[str, Any]) -> str:
    """Return the value in quotes; what is no plain text is not shown."""
    got = fault.get("input")
    text = str(got) if isinstance(got, str | int | float) else ""
    if not text.isprintable() or not text:
        return ""
    return f' "{text[:SHOWN]}{"…" if len(text) > SHOWN else ""}"'


def _allowed(fault: Mapping[str, Any]) -> str:
    rule = next((rule for kind, rule in ALLOWED.items() if fault["type"].startswith(kind)), None)
    if rule is None:
        return f"{fault['msg']}."
    told = {name: str(value).replace("'", "") for name, value in fault.get("ctx", {}).items()}
    return f"allowed: {rule.format(**told)}."
