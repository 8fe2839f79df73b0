"""What lies in a store: objects and open uploads, and the digest of what was changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.core.objects import Bucket

BLOCK_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Lying:
    """What lies under a prefix: an object, or an upload that was never completed.

    Attributes:
        key: object key.
        since: when it was written, or opened.
        upload_id: of an open upload, else empty.
    """

    key: str
    since: datetime
    upload_id: str = ""


def counted(lying: Sequence[Lying]) -> str:
    """Return in words how many objects and open uploads there are."""
    uploads = sum(1 for one in lying if one.upload_id)
    objects = len(lying) - uploads
    words = [f"{n} {what}" for n, what in ((objects, "objects"), (uploads, "open uploads")) if n]
    return ", ".join(words) or "nothing"


def sha256_of(bucket: Bucket, key: str) -> str:
    """Read an object, a block at a time, and return its hex digest."""
    digest = hashlib.sha256()
    body = bucket.client.get_object(Bucket=bucket.name, Key=key)["Body"]
    for block in body.iter_chunks(BLOCK_BYTES):
        digest.update(block)
    return digest.hexdigest()


def lying_under(bucket: Bucket, prefix: str) -> Iterator[Lying]:
    """Yield every object and open upload under a prefix; for clean-up only."""
    pages = bucket.client.get_paginator("list_objects_v2")
    for page in pages.paginate(Bucket=bucket.name, Prefix=prefix):
        yield from (Lying(o["Key"], o["LastModified"]) for o in page.get("Contents", ()))
    opened = bucket.client.get_paginator("list_multipart_uploads")
    for found in opened.paginate(Bucket=bucket.name, Prefix=prefix):
        for upload in found.get("Uploads", ()):
            yield Lying(upload["Key"], upload["Initiated"], upload["UploadId"])
