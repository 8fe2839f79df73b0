"""Who listens where on this machine."""

from contextlib import suppress

import psutil


def holders() -> dict[int, int | None]:
    """The process that listens at each TCP port; None where it is somebody else's."""
    return {
        connection.laddr.port: connection.pid
        for connection in psutil.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }


def holder_in_words(port: int, pid: int | None) -> str:
    """Who it is, or how to find out.

    Not its arguments: they may hold a secret. The folder tells one checkout from another.
    """
    if pid is not None:
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            return f"{process.name()} (process {pid} in {process.cwd()})"
    return f"a process of another user (sudo ss -ltnp 'sport = :{port}' names it)"
