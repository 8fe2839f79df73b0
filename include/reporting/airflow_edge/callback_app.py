"""The web route that services call back at; it serves nothing else."""

from datetime import UTC, datetime
from typing import Any

from fastapi import FastAPI, HTTPException, Request

from reporting.airflow_edge.callback_address import callback_secret
from reporting.airflow_edge.connections import staging_bucket
from reporting.core.service.callback import MAX_BYTES, awaited_by, keep_verdict
from reporting.errors import InputError, ReportError

UNKNOWN, TOO_LARGE, NOT_JSON, NOT_NOW = 403, 413, 422, 503


def callback_app() -> FastAPI:
    """Return the app to mount in Airflow's API server."""
    app = FastAPI(title="Report callbacks", openapi_url=None)
    app.post("/{token}")(take_callback)
    return app


async def take_callback(token: str, request: Request) -> dict[str, str]:
    """Keep what a service says of its job; a repeat changes nothing.

    The address itself says who may call: it was made for one request, is signed and expires.
    """
    from asyncio import to_thread

    from botocore.exceptions import BotoCoreError, ClientError

    try:
        awaited = awaited_by(token, callback_secret(), datetime.now(UTC))
        said = await _said(request)
        return {"receipt": await to_thread(keep_verdict, staging_bucket(), awaited, said)}
    except InputError as error:
        raise HTTPException(UNKNOWN, str(error)) from None
    except (ReportError, BotoCoreError, ClientError, OSError) as error:
        # Not kept, so it must not be answered as if it were.
        raise HTTPException(NOT_NOW, type(error).__name__) from None


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
