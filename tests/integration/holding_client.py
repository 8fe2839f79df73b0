"""An S3 client whose uploads of pieces wait until they are told to go on."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

PATIENCE = 30.0


class HoldingClient:
    """Passes calls on; a piece of an upload waits for `go` first.

    Attributes:
        began: set as soon as a piece is under way.
        go: lets pieces go on.
        done: names of the calls that have ended, in order.
        on_piece: called in the thread that sends, before the piece waits.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self.began = Event()
        self.go = Event()
        self.done: list[str] = []
        self.on_piece: Callable[[], None] = self.began.set

    def upload_part(self, **arguments: Any) -> Any:
        self.began.set()
        self.on_piece()
        assert self.go.wait(PATIENCE)
        answer = self._client.upload_part(**arguments)
        self.done.append("upload_part")
        return answer

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)

        def passed_on(**arguments: Any) -> Any:
            answer = found(**arguments)
            self.done.append(name)
            return answer

        return found if name == "get_paginator" else passed_on
