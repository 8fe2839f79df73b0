"""One staged part on its way here: fetched in ranges side by side, verified as they arrive."""

from __future__ import annotations

import hashlib
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from reporting.core.objects import MISSING
from reporting.core.upload import CHUNK_BYTES
from reporting.errors import IntegrityError, StagingGoneError

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.core.manifest import Part
    from reporting.core.objects import Bucket

RANGE_BYTES = CHUNK_BYTES  # stores keep an object in the pieces it came in, and give these fastest
RANGES_AT_ONCE = 3
COPY_BYTES = 1024 * 1024


class Download:
    """The bytes of one part, which begin to arrive at once.

    Those of a part that is replaced meanwhile may come from both: the hash tells.
    """

    def __init__(self, threads: Executor, bucket: Bucket, part: Part) -> None:
        """Ask for all ranges; as many are fetched at once as there are threads."""
        import pyarrow as pa

        self._part = part
        self._bytes = pa.allocate_buffer(part.bytes)
        whole = memoryview(self._bytes).cast("B")
        starts = range(0, part.bytes, RANGE_BYTES)
        self._views = [whole[start : start + RANGE_BYTES] for start in starts]
        self._sizes = [
            threads.submit(_fetch, bucket, part.key, start, view)
            for start, view in zip(starts, self._views, strict=True)
        ]

    def verified(self, clear: str) -> pa.Buffer:
        """Return the bytes when all are here.

        Args:
            clear: the task to clear when the part cannot be used; for the message.

        Raises:
            IntegrityError: size or hash differ from the manifest.
            StagingGoneError: there is no such object.
        """
        part, digest = self._part, hashlib.sha256()
        for size, view in zip(self._sizes, self._views, strict=True):
            self._demand_size(size.result(), clear)
            digest.update(view)
        if digest.hexdigest() != part.sha256:
            raise IntegrityError(
                f"Object {part.key!r} has {part.bytes} bytes, SHA-256 {digest.hexdigest()}; the "
                f"manifest says {part.bytes} bytes, {part.sha256}. Clear {clear} with its "
                "downstream."
            )
        return self._bytes

    def _demand_size(self, size: int | None, clear: str) -> None:
        if size is None:
            raise StagingGoneError(
                f"Object {self._part.key!r} is gone; clear {clear} with its downstream."
            )
        if size != self._part.bytes:
            raise IntegrityError(
                f"Object {self._part.key!r} has {size} bytes; the manifest says "
                f"{self._part.bytes} bytes. Clear {clear} with its downstream."
            )


def _fetch(bucket: Bucket, key: str, start: int, view: memoryview) -> int | None:
    """Fill `view` with the bytes from `start` on.

    Returns:
        The size of the whole object, or None when there is none.
    """
    from botocore.exceptions import ClientError

    wanted = f"bytes={start}-{start + len(view) - 1}"
    try:
        answer = bucket.client.get_object(Bucket=bucket.name, Key=key, Range=wanted)
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code in MISSING:
            return None
        if code == "InvalidRange":  # the object ends before it, so an earlier range tells its size
            return 0
        raise
    for chunk in answer["Body"].iter_chunks(COPY_BYTES):
        view[: len(chunk)] = chunk
        view = view[len(chunk) :]
    return int(answer["ContentRange"].rpartition("/")[2])
