"""Airflow's own REST API, asked with the token of whoever sends a request.

So Airflow's rights decide and its audit log names the user. It is called inside the API server's
own process: there is no address to know, no network to fail.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import HTTPException, Request

from reporting.core.airflow_api import ConflictError, NotFoundError
from reporting.errors import InputError, TransientError

BEARER = "bearer "
PATIENCE_SECONDS = 60


@dataclass(frozen=True)
class AsUser:
    """Airflow, as one user sees it.

    Attributes:
        token: their login.
    """

    token: str

    async def get(self, path: str, **query: Any) -> dict[str, Any]:
        """Return the answer to a GET below `/api/v2/`; see `call` for errors."""
        return await self.call("GET", path, params=query)

    async def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a POST below `/api/v2/`; see `call` for errors."""
        return await self.call("POST", path, json=body)

    async def patch(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a PATCH below `/api/v2/`; see `call` for errors."""
        return await self.call("PATCH", path, json=body)

    async def call(self, method: str, path: str, **arguments: Any) -> dict[str, Any]:
        """Return what Airflow answers.

        Raises:
            InputError: Airflow refuses what was sent.
            NotFoundError: there is no such thing.
            ConflictError: it does not fit how things are now.
            HTTPException: the user may not do this.
            TransientError: Airflow cannot do it now.
        """
        from airflow.api_fastapi.main import app
        from httpx import ASGITransport, AsyncClient

        transport = ASGITransport(app, raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {self.token}"}
        async with AsyncClient(
            transport=transport, base_url="http://airflow", timeout=PATIENCE_SECONDS
        ) as client:
            answer = await client.request(method, f"/api/v2/{path}", headers=headers, **arguments)
        if answer.is_error:
            raise _error(answer.status_code, _detail(answer))
        return dict(answer.json()) if answer.content else {}


def as_user(request: Request) -> AsUser:
    """Return Airflow as the sender of a request sees it."""
    from airflow.api_fastapi.auth.managers.base_auth_manager import COOKIE_NAME_JWT_TOKEN

    header = request.headers.get("authorization", "")
    if header.lower().startswith(BEARER):
        return AsUser(header[len(BEARER) :].strip())
    return AsUser(request.cookies.get(COOKIE_NAME_JWT_TOKEN, ""))


def _error(status: int, detail: str) -> Exception:
    match status:
        case HTTPStatus.NOT_FOUND:
            return NotFoundError(detail)
        case HTTPStatus.CONFLICT:
            return ConflictError(detail)
        case HTTPStatus.BAD_REQUEST | HTTPStatus.UNPROCESSABLE_ENTITY:
            # The first line says it; Airflow adds the whole schema.
            return InputError(detail.partition("\n")[0])
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return TransientError(f"Airflow answers {status}; try again later.")
    return HTTPException(status, detail)


def _detail(answer: Any) -> str:
    try:
        return str(answer.json().get("detail"))
    except (ValueError, AttributeError):
        return f"Airflow answers {answer.status_code}."
