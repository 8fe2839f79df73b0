"""A write-only stream into one S3 object, hashed and sent behind the writer, in bounded memory."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from reporting.core.in_order import InOrder

if TYPE_CHECKING:
    from reporting.core.objects import Bucket

CHUNK_BYTES = 8 * 1024 * 1024  # S3 wants 5 MiB or more for all pieces but the last


class Upload(io.RawIOBase):
    """Write bytes to a key of its own; the object exists only once `commit` has returned.

    Leaving the `with` block without `commit` leaves nothing behind. Three pieces are held at most:
    one is sent, one waits and one fills. What `write` or `commit` raises closes the upload.

    Attributes:
        bytes_written: so far.
    """

    def __init__(self, bucket: Bucket, key: str) -> None:
        """Open the stream; nothing is sent before the first full piece."""
        super().__init__()
        self._bucket = bucket
        self._key = key
        self._piece = bytearray()
        self._hash = hashlib.sha256()
        self._behind: InOrder | None = None
        self._upload_id: str | None = None
        self._sent: list[dict[str, Any]] = []
        self._is_committing = False
        self._is_committed = False
        self.bytes_written = 0

    def writable(self) -> bool:
        """Say that this stream takes bytes."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes; full pieces are sent meanwhile.

        Raises:
            BaseException: what has gone wrong in sending an earlier piece.
        """
        with self._closed_by_errors():
            view = rest = memoryview(data).cast("B")
            while rest:
                room = CHUNK_BYTES - len(self._piece)
                self._piece += rest[:room]
                rest = rest[room:]
                if len(self._piece) == CHUNK_BYTES:
                    self._send()
            if self._behind is not None:
                self._behind.check()
            self.bytes_written += len(view)
            return len(view)

    @property
    def sha256(self) -> str:
        """Hex digest of the object, once it is committed."""
        return self._hash.hexdigest()

    def commit(self) -> None:
        """Make the object whole; a small one is put in a single request."""
        with self._closed_by_errors():
            self._is_committing = True
            if self._behind is None:
                self._hash.update(self._piece)
                self._bucket.put(self._key, bytes(self._piece))
            else:
                if self._piece:
                    self._send()
                self._behind.call(self._complete)
                self._behind.wait()
        self.close()
        self._is_committed = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Undo what was not committed."""
        super().__exit__(kind, error, trace)
        undo = None if self._is_committed else self._undo
        if self._behind is not None:
            self._behind.end(undo)
        elif undo is not None:
            undo()

    @contextmanager
    def _closed_by_errors(self) -> Iterator[None]:
        if self.closed:  # a late write must not open the upload again
            raise ValueError("write to a closed upload")
        try:
            yield
        except BaseException:
            self.close()  # no object with a hole can come of it
            raise

    def _send(self) -> None:
        if self._behind is None:
            self._behind = InOrder("upload")
            self._behind.start()
            self._behind.call(self._open)
            self._behind.wait()
        piece, self._piece = self._piece, bytearray()
        self._behind.call(self._send_piece, piece)

    # What follows runs in the thread: a signal's handler, which raises in the main one, must not
    # break off a request whose answer is needed to undo it.

    def _open(self) -> None:
        self._upload_id = self._client.create_multipart_upload(**self._target)["UploadId"]

    def _send_piece(self, piece: bytearray) -> None:
        self._hash.update(piece)
        number = len(self._sent) + 1
        answer = self._client.upload_part(
            **self._target, UploadId=self._upload_id, PartNumber=number, Body=piece
        )
        self._sent.append({"PartNumber": number, "ETag": answer["ETag"]})

    def _complete(self) -> None:
        self._client.complete_multipart_upload(
            **self._target, UploadId=self._upload_id, MultipartUpload={"Parts": self._sent}
        )

    def _undo(self) -> None:
        if self._upload_id is not None:  # without it `Bucket.abort_uploads` finds what is open
            self._bucket.abort_upload(self._key, self._upload_id)
        if self._is_committing:  # it may have taken effect although it failed here
            self._bucket.delete([self._key])

    @property
    def _client(self) -> Any:
        return self._bucket.client

    @property
    def _target(self) -> dict[str, str]:
        return {"Bucket": self._bucket.name, "Key": self._key}
