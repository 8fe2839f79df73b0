"""An S3 client that breaks off at its n-th call, before or after the store has done it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class CrashedError(BaseException):
    """The process has died here; no handler of ordinary errors may catch it."""


class LostAnswerError(Exception):
    """One call has failed for its caller; the process lives and cleans up."""


class BreakingClient:
    """Passes calls on, and breaks at call number `at`.

    A client that dies lets nothing through from then on; one that does not fails only once.

    Attributes:
        calls: names of the calls so far.
    """

    def __init__(self, client: Any, at: int, *, after: bool, dies: bool = True) -> None:
        """Keep where to break: before the store sees the call, or after it has done it."""
        self._client = client
        self._at = at
        self._after = after
        self._dies = dies
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._client, name)
        return self._guarded(name, found) if name != "get_paginator" else found

    def _guarded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(**arguments: Any) -> Any:
            self.calls.append(name)
            here = len(self.calls) == self._at
            if self._dies and (len(self.calls) > self._at or (here and not self._after)):
                raise CrashedError(name)
            if here and not self._after:
                raise LostAnswerError(name)
            answer = call(**arguments)
            if here:
                raise CrashedError(name) if self._dies else LostAnswerError(name)
            return answer

        return guarded
