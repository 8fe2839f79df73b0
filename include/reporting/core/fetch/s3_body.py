"""The bytes of one object: of one version, counted, and hashed where a hash is known."""

from __future__ import annotations

import hashlib
import io
from typing import Any

from reporting.errors import TransientError

PIECE_BYTES = 1024 * 1024


class ObjectBody(io.RawIOBase):
    """Reads an object once; what is cut off or other than announced is never taken for whole."""

    def __init__(self, body: Any, where: str, size: int, sha256: str = "") -> None:
        """Keep the body; nothing is read yet.

        Args:
            body: as botocore gives it.
            where: source and object, for messages.
            size: how many bytes are due.
            sha256: the hex digest that is due; empty when none is known.
        """
        super().__init__()
        self._body = body
        self._where = where
        self._due = size
        self._sha256 = sha256
        self._hash = hashlib.sha256() if sha256 else None
        self._size = 0

    def readable(self) -> bool:
        """Say that this stream gives bytes."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes.

        Raises:
            TransientError: the store has broken off.
        """
        from botocore.exceptions import BotoCoreError
        from urllib3.exceptions import HTTPError

        try:
            piece: bytes = self._body.read(None if size < 0 else size)
        except (BotoCoreError, HTTPError, OSError) as error:
            raise self._cut(type(error).__name__) from None
        self._size += len(piece)
        if self._hash is not None:
            self._hash.update(piece)
        return piece

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer as far as bytes are left."""
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def demand_whole(self) -> None:
        """Read what is left and compare all of it with what is due.

        Raises:
            TransientError: it was cut off, or is not what it is said to be.
        """
        while self.read(PIECE_BYTES):
            pass
        if self._size != self._due:
            raise self._cut(f"{self._due} are due")
        if self._hash is not None and self._hash.hexdigest() != self._sha256:
            raise TransientError(
                f"{self._where} has SHA-256 {self._hash.hexdigest()}; the list of the drop says "
                f"{self._sha256}."
            )

    def close(self) -> None:
        """Let go of the connection."""
        self._body.close()
        super().close()

    def _cut(self, why: str) -> TransientError:
        return TransientError(f"{self._where} was cut off after {self._size} bytes ({why}).")
