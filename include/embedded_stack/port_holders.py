"""Who listens where on this machine."""

from contextlib import suppress

import psutil

from embedded_stack.former_life import has_ended
from embedded_stack.ports import LOOPBACK

# Listening at one of these keeps others from listening on loopback.
COVERS_LOOPBACK = {LOOPBACK, "0.0.0.0", "::"}  # noqa: S104 - only looked for


def holders() -> dict[int, int | None]:
    """The process that listens at each TCP port; None where it is somebody else's."""
    found: dict[int, int | None] = {}
    for connection in psutil.net_connections("tcp"):
        place, listens = connection.laddr, connection.status == psutil.CONN_LISTEN
        if listens and place and place.ip in COVERS_LOOPBACK:
            found[place.port] = connection.pid
    return found


def still_living(pid: int | None) -> int | None:
    """The same number, or None when its process has ended since it was seen."""
    with suppress(psutil.Error):
        if pid is not None and not has_ended(psutil.Process(pid)):
            return pid
    return None


def holder_in_words(port: int, pid: int | None) -> str:
    """Who it is, or how to find out.

    Not its arguments: they may hold a secret. The folder tells one checkout from another.
    """
    if pid is not None:
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            return f"{process.name()} (process {pid} in {process.cwd()})"
    return f"a process of another user (sudo ss -ltnp 'sport = :{port}' names it)"
