"""Patience with a stack of which a part was just killed, by this plan or by another one."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import psycopg

from reporting.errors import TransientError

PATIENCE_SECONDS, PAUSE_SECONDS = 90.0, 1.0
Errors = tuple[type[Exception], ...]
AWAY: Errors = (TransientError, psycopg.OperationalError)

T = TypeVar("T")


def with_patience(act: Callable[[], T], passing: Errors = AWAY) -> T:
    """Do it, again while an error is one that passes, and return what it returns."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return act()
        except passing:
            if time.monotonic() >= deadline:
                raise
        time.sleep(PAUSE_SECONDS)
