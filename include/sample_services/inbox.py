"""A folder that receives messages: each one whole, on disk before it is acknowledged."""

import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True)
class Inbox:
    """Stores messages as files whose names sort by time of arrival."""

    folder: Path
    suffix: str

    def put(self, content: bytes, about: str = "") -> Path:
        """Store one message; a reader sees the whole file or none.

        Args:
            content: the message.
            about: what a list of file names should tell of it, fit for a file name.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        arrival = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        name = "-".join(part for part in (arrival, about, secrets.token_hex(4)) if part)
        path = self.folder / f"{name}{self.suffix}"
        draft = path.with_name(f".{path.name}")
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
        return path
