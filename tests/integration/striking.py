"""Raises at any line of a module, as a signal's handler may."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from types import FrameType, ModuleType
from typing import Any


class StruckError(BaseException):
    """What a time limit raises is no ordinary error either."""


@contextmanager
def striking(at: int, *modules: ModuleType) -> Iterator[None]:
    """Raise at line number `at` of those that the main thread comes to in some modules."""
    files = {module.__file__ for module in modules}
    lines = count(1)

    def look(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        if event == "line" and next(lines) == at:
            raise StruckError
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
