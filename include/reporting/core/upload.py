"""A write-only stream into one S3 object, hashed on the way, in bounded memory."""

from __future__ import annotations

import hashlib
import io
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reporting.core.objects import Bucket

CHUNK_BYTES = 8 * 1024 * 1024  # S3 wants 5 MiB or more for all pieces but the last


class Upload(io.RawIOBase):
    """Write bytes; the object exists only once `commit` has returned.

    Leaving the `with` block without `commit` leaves nothing behind.

    Attributes:
        bytes_written: so far.
    """

    def __init__(self, bucket: Bucket, key: str) -> None:
        """Open the stream; nothing is sent before the first full piece."""
        super().__init__()
        self._bucket = bucket
        self._key = key
        self._buffer = bytearray()
        self._hash = hashlib.sha256()
        self._upload_id: str | None = None
        self._pieces: list[dict[str, Any]] = []
        self._committed = False
        self.bytes_written = 0

    def writable(self) -> bool:
        """Say that this stream takes bytes."""
        return True

    def write(self, data: Any) -> int:
        """Take bytes; full pieces are sent at once."""
        if self.closed:  # a late write must not open the upload again
            raise ValueError("write to a closed upload")
        view = memoryview(data).cast("B")
        self._hash.update(view)
        self._buffer += view
        self.bytes_written += len(view)
        while len(self._buffer) >= CHUNK_BYTES:
            self._send(bytes(self._buffer[:CHUNK_BYTES]))
            del self._buffer[:CHUNK_BYTES]
        return len(view)

    @property
    def sha256(self) -> str:
        """Hex digest of all bytes written so far."""
        return self._hash.hexdigest()

    def commit(self) -> None:
        """Make the object whole; a small one is put in a single request."""
        if self._upload_id is None:
            self._bucket.put(self._key, bytes(self._buffer))
        else:
            if self._buffer:
                self._send(bytes(self._buffer))
            self._client.complete_multipart_upload(
                **self._target,
                UploadId=self._upload_id,
                MultipartUpload={"Parts": self._pieces},
            )
        self._committed = True
        self._buffer.clear()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Abort what was not committed."""
        super().__exit__(kind, error, trace)
        if not self._committed and self._upload_id is not None:
            self._bucket.abort_upload(self._key, self._upload_id)

    def _send(self, piece: bytes) -> None:
        if self._upload_id is None:
            self._upload_id = self._client.create_multipart_upload(**self._target)["UploadId"]
        number = len(self._pieces) + 1
        answer = self._client.upload_part(
            **self._target, UploadId=self._upload_id, PartNumber=number, Body=piece
        )
        self._pieces.append({"PartNumber": number, "ETag": answer["ETag"]})

    @property
    def _client(self) -> Any:
        return self._bucket.client

    @property
    def _target(self) -> dict[str, str]:
        return {"Bucket": self._bucket.name, "Key": self._key}
