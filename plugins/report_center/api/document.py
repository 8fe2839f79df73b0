"""Makes the OpenAPI document of the API, and a page of it that needs nothing but itself."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from reporting.airflow_edge.callback_address import ROUTE
from reporting.airflow_edge.callback_app import callback_app

API = "/api"
CALLBACKS = ROUTE.removeprefix("/reports")
METHODS = ("get", "post", "put", "patch", "delete")
INTRODUCTION = (
    "What the report center shows, for programs. Send Airflow's token as `Authorization: Bearer "
    "…`; what you may see and do, Airflow decides. Errors are problems (RFC 9457). Lists go on at "
    "`next_cursor`."
)
SECURITY = {"airflow": {"type": "http", "scheme": "bearer"}}
STYLE = """
:root { color-scheme: light dark } body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto;
max-width: 60rem; padding: 0 1rem } code { font-size: .95em } table { border-collapse: collapse }
th, td { font-weight: inherit; text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top }
thead { font-weight: 600 }
section { border-top: 1px solid #8888; margin-top: 1.5rem }
"""
HEAD = '<thead><tr><th scope="col">Name<th scope="col">Where<th scope="col">Meaning</thead>'


def document_of(app: FastAPI, place: str) -> dict[str, Any]:
    """Return the OpenAPI document of the routes below `/api`.

    Args:
        app: whose routes.
        place: where the app is mounted.
    """
    routes = [route for route in app.routes if getattr(route, "path", "").startswith(f"{API}/")]
    found = get_openapi(
        title="Report center",
        version="1",
        description=INTRODUCTION,
        routes=routes,
        servers=[{"url": place or "/"}],
    )
    callbacks = _callbacks()
    found["paths"] |= callbacks["paths"]
    found["components"]["schemas"] |= callbacks["components"]["schemas"]
    found["components"]["securitySchemes"] = SECURITY
    found["security"] = [{name: []} for name in SECURITY]
    return found


def _callbacks() -> dict[str, Any]:
    """Return the document of what services call back at: the address itself is the login."""
    found = get_openapi(title="Callbacks", version="1", routes=callback_app().routes)
    for operation in (one for methods in found["paths"].values() for one in methods.values()):
        operation.update(security=[], tags=["callbacks"])
    paths = {f"{CALLBACKS}{path}": methods for path, methods in found["paths"].items()}
    return {**found, "paths": paths}


def page_of(document: Mapping[str, Any]) -> str:
    """Return the document as HTML."""
    title = escape(document["info"]["title"])
    place = document["servers"][0]["url"]
    return "".join(
        [
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{title}: API</title><style>{STYLE}</style></head><body><main>",
            f"<h1>{title}: API</h1><p>{escape(document['info']['description'])}</p>",
            '<p><a href="openapi.json">OpenAPI document</a></p>',
            *(_section(place, *operation) for operation in _operations(document)),
            "</main></body></html>",
        ]
    )


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method, path, methods[method]


def _section(place: str, method: str, path: str, operation: Mapping[str, Any]) -> str:
    head = f"<code>{method.upper()} {escape(place + path)}</code>"
    text = escape(operation.get("description", "")).replace("\n\n", "</p><p>")
    rows = [
        *(
            _row(p["name"], p["in"], p.get("description", ""))
            for p in operation.get("parameters", ())
        ),
        *_body_rows(operation),
        *(_row(s, "answer", answer["description"]) for s, answer in operation["responses"].items()),
    ]
    return (
        f"<section><h2>{escape(operation['summary'])}</h2><p>{head}</p><p>{text}</p>"
        f"<table>{HEAD}{''.join(rows)}</table></section>"
    )


def _body_rows(operation: Mapping[str, Any]) -> Iterator[str]:
    content = operation.get("requestBody", {}).get("content", {})
    for kind, described in content.items():
        name = described["schema"].get("$ref", "").rpartition("/")[2]
        yield _row(name or "body", "body", kind)


def _row(name: str, where: str, text: str) -> str:
    return (
        f'<tr><th scope="row"><code>{escape(str(name))}</code></th><td>{escape(where)}</td>'
        f"<td>{escape(text)}</td></tr>"
    )
