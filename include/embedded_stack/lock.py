"""One at a time, across processes; a crash sets the lock free."""

import fcntl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from embedded_stack.private_file import make_private_folder


@contextmanager
def exclusive(path: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock at `path`, waiting for whoever holds it.

    Args:
        path: the lock file; it stays.
        on_wait: called once when somebody else holds the lock.
    """
    make_private_folder(path.parent)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            on_wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
