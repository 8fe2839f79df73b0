"""What a download has opened is closed again, whenever its reader leaves."""

from __future__ import annotations

import asyncio
from io import BytesIO
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

SCOPE = {"type": "http", "asgi": {"spec_version": "2.4"}}


async def received() -> dict[str, Any]:
    return {"type": "http.request"}


def sent_until(fails_at: str | None, kept: list[bytes]) -> Any:
    async def send(message: dict[str, Any]) -> None:
        if message["type"] == fails_at:
            raise OSError("the reader has left")
        kept.append(message.get("body", b""))

    return send


@pytest.mark.parametrize("fails_at", ["http.response.start", "http.response.body"])
def test_a_reader_who_leaves_leaves_nothing_open(fails_at: str) -> None:
    from report_center.api.file_routes import FileAnswer

    body = BytesIO(b"figures")
    answer = FileAnswer(body, {}, "text/csv")
    with pytest.raises(ClientDisconnect):
        asyncio.run(answer(SCOPE, received, sent_until(fails_at, [])))
    assert body.closed


def test_a_file_is_sent_whole_and_closed() -> None:
    from report_center.api.file_routes import PIECE_BYTES, FileAnswer

    content = b"x" * (PIECE_BYTES + 1)
    body = BytesIO(content)
    kept: list[bytes] = []
    asyncio.run(FileAnswer(body, {}, "text/csv")(SCOPE, received, sent_until(None, kept)))
    assert (b"".join(kept), body.closed) == (content, True)
