"""A session whose answers have begun by a deadline, however slowly their headers come.

The library's own limit is one of silence: a server that sends a byte before each ends would never
be left. What comes after the headers is bounded where it is read.
"""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from threading import Timer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import requests


def session_until(deadline: float) -> requests.Session:
    """Return a session that hangs up on headers at a deadline by the monotonic clock.

    It follows no redirect, nor does it prepare to.
    """
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.connection import HTTPConnection, HTTPSConnection
    from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

    def bounded(pool: type, connection: type) -> type:
        kind = type(connection.__name__, (_Begun, connection), {"deadline": deadline})
        return type(pool.__name__, (pool,), {"ConnectionCls": kind})

    adapter = HTTPAdapter()
    adapter.poolmanager.pool_classes_by_scheme = {
        "http": bounded(HTTPConnectionPool, HTTPConnection),
        "https": bounded(HTTPSConnectionPool, HTTPSConnection),
    }
    session = requests.Session()
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    # To know where an answer leads, the library would read all of it, however long it is.
    session.get_redirect_target = _nowhere  # type: ignore[method-assign]
    return session


def _nowhere(resp: requests.Response) -> str | None:  # noqa: ARG001 - the library's own names
    return None


class _Begun:
    """Makes a connection of the library read the headers of an answer in time, or break."""

    deadline: float
    sock: Any

    def getresponse(self) -> Any:
        watch = Timer(max(self.deadline - time.monotonic(), 0), self._hang_up)
        watch.daemon = True
        watch.start()
        try:
            answer = super().getresponse()  # type: ignore[misc]
        finally:
            watch.cancel()
        if time.monotonic() > self.deadline:
            # Headers that break off are taken for whole ones.
            raise TimeoutError
        return answer

    def _hang_up(self) -> None:
        with suppress(OSError, AttributeError):  # it has been closed meanwhile
            # Not the method of a TLS socket, which would also take the session from its reader.
            socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
