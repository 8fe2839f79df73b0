"""The OpenAPI document as a page that needs nothing but itself."""

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from report_center.api.schema_words import (
    NOTHING,
    Schema,
    allowed_words,
    default_words,
    type_words,
)

METHODS = ("get", "post", "put", "patch", "delete")
STYLE = """
:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto;
max-width: 72rem; padding: 0 1rem } code { font-size: .95em } table { border-collapse: collapse }
th, td { font-weight: inherit; text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top }
thead { font-weight: 600 } main { overflow-wrap: anywhere }
section { border-top: 1px solid #8888; margin-top: 1.5rem; overflow-x: auto }
"""
COLUMNS = ("Name", "Where", "Type", "Default", "Allowed", "Meaning")
CODE = re.compile(r"`([^`]*)`")


def page_of(document: Mapping[str, Any]) -> str:
    """Return the document as HTML: a section for each route, and one for each model."""
    title = escape(document["info"]["title"])
    place = document["servers"][0]["url"]
    models = document["components"]["schemas"]
    return "".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{title}: API</title><style>{STYLE}</style></head><body><main>",
            f"<h1>{title}: API</h1><p>{_prose(document['info']['description'])}</p>",
            '<p><a href="openapi.json">OpenAPI document</a></p>',
            *(_route(place, *operation) for operation in _operations(document)),
            *(_model(name, models[name]) for name in sorted(models)),
            "</main></body></html>",
        ]
    )


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method, path, methods[method]


def _route(place: str, method: str, path: str, operation: Mapping[str, Any]) -> str:
    head = f"<code>{method.upper()} {escape(place + path)}</code>"
    text = _prose(operation.get("description", "")).replace("\n\n", "</p><p>")
    rows = [
        *(_parameter(one) for one in operation.get("parameters", ())),
        *_body(operation.get("requestBody", {})),
        *(_answer(status, one) for status, one in operation["responses"].items()),
    ]
    return (
        f"<section><h2>{escape(operation['summary'])}</h2><p>{head}</p><p>{text}</p>"
        f"{_table(COLUMNS, rows)}</section>"
    )


def _parameter(told: Mapping[str, Any]) -> str:
    schema = told["schema"]
    default = default_words(schema, told.get("required", False))
    meaning = _prose(told.get("description") or _nested_description(schema))
    cells = (told["in"], type_words(schema), default, allowed_words(schema), meaning)
    return _row(told["name"], cells)


def _nested_description(schema: Schema) -> str:
    found = (one.get("description", "") for one in schema.get("anyOf", ()))
    return next(filter(None, found), "")


def _body(told: Mapping[str, Any]) -> Iterator[str]:
    for kind, described in told.get("content", {}).items():
        need = "required" if told.get("required") else NOTHING
        yield _row("body", ("body", type_words(described["schema"]), need, escape(kind), ""))


def _answer(status: str, told: Mapping[str, Any]) -> str:
    nothing: tuple[str, Schema] = ("", {})
    kind, described = next(iter(told.get("content", {}).items()), nothing)
    type_ = type_words(described["schema"]) if "schema" in described else ""
    meaning = _prose(told["description"])
    return _row(status, ("answer", type_, NOTHING, escape(kind), meaning))


def _model(name: str, schema: Schema) -> str:
    head = f'<section id="{escape(name)}"><h2>{escape(name)}</h2>'
    text = f"<p>{_prose(schema.get('description', ''))}</p>"
    if "properties" not in schema:
        return f"{head}{text}<p>{type_words(schema)}: {allowed_words(schema)}</p></section>"
    required = schema.get("required", ())
    rows = [
        _row(field, _field(told, field in required)) for field, told in schema["properties"].items()
    ]
    return f"{head}{text}{_table((COLUMNS[0], *COLUMNS[2:]), rows)}</section>"


def _field(told: Schema, is_required: bool) -> tuple[str, ...]:
    default = default_words(told, is_required)
    meaning = _prose(told.get("description", ""))
    return type_words(told), default, allowed_words(told), meaning


def _table(columns: tuple[str, ...], rows: list[str]) -> str:
    head = "".join(f'<th scope="col">{name}' for name in columns)
    return f"<table><thead><tr>{head}</thead>{''.join(rows)}</table>"


def _row(name: str, cells: tuple[str, ...]) -> str:
    told = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row"><code>{escape(name)}</code></th>{told}</tr>'


def _prose(text: str) -> str:
    """Return plain text as HTML, with what stands in backticks as code."""
    return CODE.sub(r"<code>\1</code>", escape(text))
