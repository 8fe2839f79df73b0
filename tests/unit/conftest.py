"""Unit tests open no socket."""

from collections.abc import Iterator

import pytest
from pytest_socket import disable_socket, enable_socket


@pytest.fixture(autouse=True)
def _no_sockets() -> Iterator[None]:
    """Make any attempt at a connection an error, and undo it for the next kind of test."""
    disable_socket(allow_unix_socket=True)  # an event loop talks to itself through one
    yield
    enable_socket()
