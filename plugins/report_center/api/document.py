"""Makes the OpenAPI document of the API."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from report_center.api.field_words import tell_fields
from reporting.airflow_edge.callback_address import ROUTE
from reporting.airflow_edge.callback_app import callback_app
from reporting.airflow_edge.problem_model import CONTENT_TYPE, Problem

API = "/api"
CALLBACKS = ROUTE.removeprefix("/reports")
INTRODUCTION = (
    "What the report center shows, for programs. Send Airflow's token as `Authorization: Bearer "
    "…`; its `POST /auth/token` gives one for a name and a password. What you may see and do, "
    "Airflow decides. Errors are problems (RFC 9457). Lists go on at `next_cursor`."
)
SECURITY = {"airflow": {"type": "http", "scheme": "bearer"}}


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
    tell_fields(found["components"]["schemas"])
    _name_problems(found)
    found["components"]["securitySchemes"] = SECURITY
    found["security"] = [{name: []} for name in SECURITY]
    return found


def _name_problems(document: dict[str, Any]) -> None:
    """Let every answer that is a problem name one model, which is described once."""
    document["components"]["schemas"][Problem.__name__] = Problem.model_json_schema()
    for operation in (one for path in document["paths"].values() for one in path.values()):
        for answer in operation["responses"].values():
            if told := answer.get("content", {}).get(CONTENT_TYPE):
                told["schema"] = {"$ref": f"#/components/schemas/{Problem.__name__}"}


def _callbacks() -> dict[str, Any]:
    """Return the document of what services call back at: the address itself is the login."""
    found = get_openapi(title="Callbacks", version="1", routes=callback_app().routes)
    for operation in (one for methods in found["paths"].values() for one in methods.values()):
        operation.update(security=[], tags=["callbacks"])
    paths = {f"{CALLBACKS}{path}": methods for path, methods in found["paths"].items()}
    return {**found, "paths": paths}
