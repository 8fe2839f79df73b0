"""Why a request has got no answer, in plain words: the library wraps it several times.

The text of an exception is never repeated: it may hold the full URL with its query.
"""

from __future__ import annotations

import errno
import socket
import ssl
from collections.abc import Iterator, Mapping

NO_ROUTE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN)
PROXY = "the proxy on the way does not answer"
TLS = "TLS failed"
HUNG_UP = "the service hung up"
BY_SYSTEM: Mapping[type[OSError], str] = {
    ConnectionRefusedError: "connection refused",
    ConnectionError: HUNG_UP,
    socket.gaierror: "the name of the host is unknown",
}


def why(error: BaseException) -> str:
    """Return what has happened; the class of the error where nothing is known of it."""
    causes = list(_causes(error))
    by_system = filter(None, map(_of_the_system, causes))
    by_library = filter(None, map(_of_the_library, causes))
    # What is wrong at the proxy says nothing of the service.
    told = next(by_library, None)
    return told if told == PROXY else next(by_system, told) or type(error).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and all that it wraps, each once."""
    left, seen = [error], set[int]()
    while left:
        one = left.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        wrapped = (*one.args, getattr(one, "reason", None), one.__cause__, one.__context__)
        left += [inner for inner in wrapped if isinstance(inner, BaseException)]


def _of_the_system(error: BaseException) -> str | None:
    if isinstance(error, ssl.SSLError):
        told = getattr(error, "verify_message", "")
        return f"{TLS}, {told}" if told else TLS
    if isinstance(error, OSError) and error.errno in NO_ROUTE:
        return "no route to the host"
    return next((text for kind, text in BY_SYSTEM.items() if isinstance(error, kind)), None)


def _of_the_library(error: BaseException) -> str | None:
    from requests import exceptions as known
    from urllib3 import exceptions as inner

    words: dict[str, tuple[type[BaseException], ...]] = {
        PROXY: (known.ProxyError, inner.ProxyError),
        TLS: (known.SSLError, inner.SSLError),
        "no connection in time": (known.ConnectTimeout, inner.ConnectTimeoutError),
        "timed out, no answer came in time": (
            known.Timeout,
            inner.TimeoutError,
            TimeoutError,
        ),
        HUNG_UP: (known.ChunkedEncodingError, inner.ProtocolError),
    }
    return next((text for text, kinds in words.items() if isinstance(error, kinds)), None)
