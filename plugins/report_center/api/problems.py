"""Errors of the API, as its document describes them: RFC 9457 problems."""

from typing import Any

from fastapi import HTTPException
from pydantic import BaseModel, Field

from reporting.airflow_edge.web_problems import CONTENT_TYPE

NOT_THERE, CONFLICT, GONE, UNPROCESSABLE = 404, 409, 410, 422


class Problem(BaseModel):
    """What went wrong, and what to do."""

    type: str = Field("about:blank", description="always `about:blank`: the status says it all")
    title: str = Field(description="the status in words")
    status: int = Field(description="the HTTP status")
    detail: str = Field(description="what exactly, with the field and the value where there is one")


WORDS = {
    400: "What was sent cannot be read.",
    401: "Log in, or send a token as `Authorization: Bearer …`.",
    403: "You may not do this, or a page of another site has asked for it.",
    404: "There is no such thing, or you may not see it.",
    409: "It does not fit how things are now.",
    410: "It was there and is lost.",
    422: "A value is not allowed; the detail names it.",
    500: "A fault of the program; the API server's log has it.",
    503: "Something that is needed does not answer; try again later.",
}
ALWAYS = (401, 403, 422, 500, 503)


def problems(*more: int) -> dict[int | str, dict[str, Any]]:
    """Return what every route may answer besides what it is for, and these statuses.

    It is written down as plain JSON Schema, because FastAPI would document a model as
    `application/json`.
    """
    content = {CONTENT_TYPE: {"schema": Problem.model_json_schema()}}
    return {
        status: {"description": WORDS[status], "content": content}
        for status in sorted({*ALWAYS, *more})
    }


def not_there(what: str) -> HTTPException:
    """Return the error of a thing that is not there, or not for this user."""
    return HTTPException(NOT_THERE, f"{what} is unknown.")
