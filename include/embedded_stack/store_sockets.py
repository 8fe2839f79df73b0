"""The files SeaweedFS makes outside of its folder: sockets in /tmp, at places it fixes itself.

They are named by port, so two stacks keep apart. After a crash they stay; SeaweedFS replaces its
own, but waits forever where another user's is in the way.
"""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from embedded_stack.called_as import CalledAs
from embedded_stack.conditions import PAUSE_SECONDS
from embedded_stack.errors import StackError
from embedded_stack.free_ports import moved_to_free
from embedded_stack.ports import GRPC_OFFSET, Ports, is_free

DYING_SECONDS = 5.0
PARTS = {
    "s3": "s3",
    "master": "store_master",
    "filer": "store_filer",
    "volume": "store_volume",
    "admin": "store_admin",
}


def demand_replaceable(ports: Ports, called: CalledAs) -> None:
    """Refuse to start over files of another user, whether or not their store still runs.

    Raises:
        StackError: names every such file and a command that avoids them.
    """
    if os.geteuid() == 0:
        return  # may replace anybody's
    foreign = {name: path for name, path, _ in _sockets(ports) if _is_foreign(path)}
    if foreign:
        raise StackError(
            "the store needs socket files of these names, and another user has them:\n"
            + "".join(f"  {path}\n" for path in foreign.values())
            + "Let that user remove them if no store of theirs runs, or move ours:\n"
            + f"  {called.with_ports(moved_to_free(ports, foreign))}"
        )


def remove_leftovers(ports: Ports) -> None:
    """Remove what a killed store left; a socket with a listener on its port is in use."""
    left = [(path, port) for _, path, port in _sockets(ports) if path.exists()]
    deadline = time.monotonic() + DYING_SECONDS
    # A store that was killed just now may not have given its ports back yet.
    while not all(is_free(port) for _, port in left) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
    for path, port in left:
        if is_free(port):
            with suppress(OSError):
                path.unlink()


def _is_foreign(path: Path) -> bool:
    with suppress(OSError):
        return path.lstat().st_uid != os.geteuid()
    return False


def _sockets(ports: Ports) -> Iterator[tuple[str, Path, int]]:
    for part, name in PARTS.items():
        port = getattr(ports, name) + GRPC_OFFSET
        yield name, Path(f"/tmp/seaweedfs-{part}-grpc-{port}.sock"), port  # noqa: S108
