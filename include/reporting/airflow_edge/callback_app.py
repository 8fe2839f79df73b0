"""The web route that services call back at; it serves nothing else."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import FastAPI, HTTPException, Path, Request
from pydantic import BaseModel, Field

from reporting.airflow_edge.callback_address import callback_secret
from reporting.airflow_edge.connections import staging_bucket
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.problem_model import described
from reporting.airflow_edge.web_problems import tell_problems
from reporting.core.service.callback import MAX_BYTES, awaited_by, keep_verdict
from reporting.errors import InputError, ReportError

UNKNOWN, TOO_LARGE, NOT_JSON, NOT_NOW = 403, 413, 422, 503
PLACE = "callbacks"
PROBLEMS = described(
    {
        UNKNOWN: "The address was not given out here, or it is too late.",
        TOO_LARGE: f"It is larger than {MAX_BYTES} bytes.",
        NOT_JSON: "It is no JSON object.",
        500: "A fault of the program; the API server's log has it.",
        NOT_NOW: "It could not be kept; call again later.",
    }
)
SAID: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {"application/json": {"schema": {"type": "object"}}},
    }
}
Token = Annotated[str, Path(description="signed by the reports; good for one request")]


class Receipt(BaseModel):
    """What became of a callback."""

    receipt: Literal["kept", "repeated", "contradicts", "not awaited"] = Field(
        description="`repeated`: the same was said before. `contradicts`: something else was said "
        "before, and that counts. `not awaited`: the run needs it no more."
    )


def callback_app() -> FastAPI:
    """Return the app to mount in Airflow's API server."""
    app = FastAPI(title="Report callbacks", openapi_url=None)
    route = app.post(
        "/{token}", summary="Call back about a job", responses=PROBLEMS, openapi_extra=SAID
    )
    route(take_callback)
    tell_problems(app)
    return app


async def take_callback(token: Token, request: Request) -> Receipt:
    """Keep what a service says of its job, such as `{"status": "done"}`; a repeat changes nothing.

    The address itself says who may call: it was made for one request, is signed and expires. It
    is the request's field `callback_url`.
    """
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        awaited = awaited_by(token, callback_secret(), datetime.now(UTC))
        said = await _said(request)
        kept: Any = await in_own_thread(PLACE, keep_verdict, staging_bucket(), awaited, said)
        return Receipt(receipt=kept)
    except InputError as error:
        raise HTTPException(UNKNOWN, str(error)) from None
    except (ReportError, BotoCoreError, ClientError, OSError) as error:
        # Not kept, so it must not be answered as if it were.
        why = f"It could not be kept ({type(error).__name__}); call again later."
        raise HTTPException(NOT_NOW, why) from None


async def _said(request: Request) -> dict[str, Any]:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BYTES:
            raise HTTPException(TOO_LARGE, f"at most {MAX_BYTES} bytes")
    import json

    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, dict):
        raise HTTPException(NOT_JSON, "a JSON object is due")
    return said
