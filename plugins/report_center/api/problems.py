"""Errors of the API, as its document describes them: RFC 9457 problems."""

from typing import Any

from fastapi import HTTPException

from reporting.airflow_edge.problem_model import described

NOT_THERE, CONFLICT, GONE, UNPROCESSABLE = 404, 409, 410, 422
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
    """Return what every route may answer besides what it is for, and these statuses."""
    return described({status: WORDS[status] for status in (*ALWAYS, *more)})


def not_there(what: str) -> HTTPException:
    """Return the error of a thing that is not there, or not for this user."""
    return HTTPException(NOT_THERE, f"{what} is unknown.")
