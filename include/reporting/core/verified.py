"""Staged objects, compared byte by byte with what their manifest says."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from reporting.errors import IntegrityError, StagingGoneError

if TYPE_CHECKING:
    from reporting.core.manifest import Part
    from reporting.core.objects import Bucket


def verified_bytes(bucket: Bucket, part: Part, clear: str) -> bytes:
    """Return the bytes of an object.

    Args:
        bucket: where it lies.
        part: what the manifest says of it.
        clear: the task to clear when the object cannot be used; for the message.

    Raises:
        IntegrityError: size or hash differ from the manifest.
        StagingGoneError: there is no such object.
    """
    body = bucket.get(part.key)
    if body is None:
        raise StagingGoneError(f"Object {part.key!r} is gone; clear {clear} with its downstream.")
    digest = hashlib.sha256(body).hexdigest()
    if len(body) != part.bytes or digest != part.sha256:
        raise IntegrityError(
            f"Object {part.key!r} has {len(body)} bytes, SHA-256 {digest}; the manifest says "
            f"{part.bytes} bytes, {part.sha256}. Clear {clear} with its downstream."
        )
    return body
