"""Files only their owner may read, written whole or not at all."""

import os
from pathlib import Path

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def write_private(path: Path, text: str) -> None:
    """Replace `path` in one step, so a reader or a crash never meets half of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE_FILE)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def make_private_folder(path: Path) -> None:
    """Make a folder only its owner may enter."""
    path.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
