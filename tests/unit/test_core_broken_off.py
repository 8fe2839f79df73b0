"""Why a request got no answer, in words that a person can act on."""

from __future__ import annotations

import socket
import ssl
import time
from datetime import timedelta

import pytest
import requests
from urllib3.exceptions import MaxRetryError, NewConnectionError, ProtocolError

from reporting.core.fetch.broken_off import HUNG_UP, why
from reporting.core.fetch.endpoint import place_of
from reporting.core.fetch.limits import Limits

pytestmark = pytest.mark.unit

URL = "http://me:secret@127.0.0.1:1/v1?api_key=secret"


def refused_by_the_library() -> requests.ConnectionError:
    """Return an error as the library raises it: what has happened is wrapped several times."""
    inner = NewConnectionError(None, f"Failed: {URL}")  # type: ignore[arg-type]
    inner.__cause__ = ConnectionRefusedError(111, "Connection refused")
    return requests.ConnectionError(MaxRetryError(None, URL, inner))  # type: ignore[arg-type]


def untrusted() -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError("certificate verify failed")
    error.verify_message = "certificate has expired"
    return error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (refused_by_the_library(), "connection refused"),
        (requests.ConnectionError(socket.gaierror(-2, URL)), "the name of the host is unknown"),
        (requests.ConnectTimeout(URL), "no connection in time"),
        (requests.ReadTimeout(URL), "timed out, no answer came in time"),
        (TimeoutError(), "timed out, no answer came in time"),
        (requests.exceptions.SSLError(untrusted()), "TLS failed, certificate has expired"),
        (requests.exceptions.SSLError(URL), "TLS failed"),
        (requests.ConnectionError(ProtocolError(URL, ConnectionResetError())), HUNG_UP),
        (requests.exceptions.ChunkedEncodingError(URL), HUNG_UP),
        (requests.exceptions.ProxyError(URL), "the proxy on the way does not answer"),
        (requests.ConnectionError(OSError(113, "No route")), "no route to the host"),
        (requests.exceptions.InvalidHeader(URL), "InvalidHeader"),
    ],
)
def test_the_reason_is_told_in_plain_words_and_without_the_address(
    error: Exception, words: str
) -> None:
    assert why(error) == words


def test_an_error_that_names_itself_as_its_cause_ends() -> None:
    error = requests.ConnectionError()
    error.args = (error,)
    error.__context__ = error

    assert why(error) == "ConnectionError"


def test_what_is_said_of_a_request_that_broke_off() -> None:
    limits = Limits(1, 1, timedelta(seconds=9), time.monotonic() + 9, 9)

    told = limits.broken("GET /v1/orders at db:80", refused_by_the_library())

    assert str(told) == "GET /v1/orders at db:80 failed: connection refused."


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (URL, "127.0.0.1:1"),
        ("https://api.example/v1", "api.example:443"),
        ("http://[::1]:8081", "[::1]:8081"),
        ("http://[", "a host that cannot be read"),
    ],
)
def test_the_place_is_host_and_port_only(url: str, place: str) -> None:
    assert place_of(url) == place
