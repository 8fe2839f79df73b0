"""Airflow's own REST API, asked with the token of whoever sends a request.

So Airflow's rights decide and its audit log names the user. It is called inside the API server's
own process: there is no address to know, no network to fail.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, HTTPException, Request

from reporting.core.airflow_api import ConflictError, NotFoundError
from reporting.errors import InputError, TransientError

if TYPE_CHECKING:
    from httpx import Response

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
            TransientError: Airflow cannot do it now, or has not said so in time.
        """
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                answer = await self._sent(method, path, **arguments)
        except TimeoutError:
            raise TransientError(
                f"Airflow has not answered within {PATIENCE_SECONDS} s; look whether it was done."
            ) from None
        if answer.is_error:
            raise _error(answer.status_code, _detail(answer))
        return dict(answer.json()) if answer.content else {}

    async def _sent(self, method: str, path: str, **arguments: Any) -> "Response":
        """Return the answer; a call within the process knows no time limit of its own."""
        from airflow.api_fastapi.main import app
        from httpx import ASGITransport, AsyncClient

        transport = ASGITransport(app, raise_app_exceptions=False)
        headers = {"Authorization": f"Bearer {self.token}"}
        async with AsyncClient(transport=transport, base_url="http://airflow") as client:
            return await client.request(method, f"/api/v2/{path}", headers=headers, **arguments)


def as_user(request: Request) -> AsUser:
    """Return Airflow as the sender of a request sees it."""
    from airflow.api_fastapi.auth.managers.base_auth_manager import COOKIE_NAME_JWT_TOKEN

    header = request.headers.get("authorization", "")
    if header.lower().startswith(BEARER):
        return AsUser(header[len(BEARER) :].strip())
    return AsUser(request.cookies.get(COOKIE_NAME_JWT_TOKEN, ""))


User = Annotated[AsUser, Depends(as_user)]


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
