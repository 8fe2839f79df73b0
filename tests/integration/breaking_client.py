"""An S3 client that breaks off at its n-th call, before or after the store has done it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class CrashedError(BaseException):
    """The process has died here; no handler of ordinary errors may catch it."""


class BreakingClient:
    """Passes calls on, and dies at call number `at`; from then on nothing gets through.

    Attributes:
        calls: names of the calls so far.
    """

    def __init__(self, client: Any, at: int, *, after: bool) -> None:
        """Keep where to die: before the store sees the call, or after it has done it."""
        self._client = client
        self._at = at
        self._after = after
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return self._guarded(name, found) if name != "get_paginator" else found

    def _guarded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(**arguments: Any) -> Any:
            self.calls.append(name)
            if len(self.calls) > self._at or (len(self.calls) == self._at and not self._after):
                raise CrashedError(name)
            answer = call(**arguments)
            if len(self.calls) == self._at:
                raise CrashedError(name)
            return answer

        return guarded
