"""The files SeaweedFS makes outside of its folder: sockets in /tmp, at places it fixes itself.

They are named by port, so two stacks keep apart. After a crash they stay; SeaweedFS replaces its
own, but waits forever where another user's is in the way.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.ports import GRPC_OFFSET, Ports, is_free, variable

PARTS = {
    "s3": "s3",
    "master": "store_master",
    "filer": "store_filer",
    "volume": "store_volume",
    "admin": "store_admin",
}


def demand_replaceable(layout: Layout) -> None:
    """Refuse to start over a file of another user.

    Raises:
        StackError: names the file and the variable that avoids it.
    """
    for name, path, _ in _sockets(layout.ports):
        if os.geteuid() != 0 and path.exists() and path.stat().st_uid != os.geteuid():
            raise StackError(
                f"{path} belongs to another user, and store needs a file of that name. Remove it "
                f"if no store of that user runs, or move ours: {variable(name)}=<free port> make up"
            )


def remove_leftovers(layout: Layout) -> None:
    """Remove what a killed store left; a socket with a listener on its port is in use."""
    for _, path, port in _sockets(layout.ports):
        if is_free(port):
            with suppress(OSError):
                path.unlink()


def _sockets(ports: Ports) -> Iterator[tuple[str, Path, int]]:
    for part, name in PARTS.items():
        port = getattr(ports, name) + GRPC_OFFSET
        yield name, Path(f"/tmp/seaweedfs-{part}-grpc-{port}.sock"), port  # noqa: S108
