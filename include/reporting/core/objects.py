"""Objects in an S3 bucket: put, get, and delete without leaving any behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.errors import TransientError

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

DELETE_BATCH = 1000
NAMED_KEYS = 5
MISSING = ("404", "NoSuchKey", "NotFound", "NoSuchUpload")


@dataclass(frozen=True)
class Stored:
    """An object in a bucket.

    Attributes:
        bytes: size.
        etag: what the store calls this version of it.
    """

    bytes: int
    etag: str


@dataclass(frozen=True)
class Bucket:
    """One bucket and the client that reaches it."""

    client: S3Client
    name: str

    def put(self, key: str, body: bytes, content_type: str = "application/octet-stream") -> None:
        """Write a small object in one request; it replaces an older one whole."""
        self.client.put_object(Bucket=self.name, Key=key, Body=body, ContentType=content_type)

    def get(self, key: str) -> bytes | None:
        """Return the object's bytes, or None when there is none."""
        found = self.opened(key)
        return None if found is None else bytes(found[0].read())

    def opened(self, key: str) -> tuple[Any, int] | None:
        """Return the object's body, to be read and closed, and its size; None for none."""
        from botocore.exceptions import ClientError

        try:
            found = self.client.get_object(Bucket=self.name, Key=key)
        except ClientError as error:
            if _code(error) in MISSING:
                return None
            raise
        return found["Body"], found["ContentLength"]

    def has(self, key: str) -> bool:
        """Say whether there is such an object."""
        return self.facts(key) is not None

    def facts(self, key: str) -> Stored | None:
        """Return what the store says of an object, without reading it; None for none."""
        from botocore.exceptions import ClientError

        try:
            head = self.client.head_object(Bucket=self.name, Key=key)
        except ClientError as error:
            if _code(error) in MISSING:
                return None
            raise
        return Stored(head["ContentLength"], head["ETag"])

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield every key under `prefix`; for clean-up only, never to find data."""
        for page in self.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.name, Prefix=prefix
        ):
            yield from (entry["Key"] for entry in page.get("Contents", ()))

    def delete(self, keys: Sequence[str]) -> int:
        """Delete any number of keys and return how many.

        Raises:
            TransientError: some keys could not be deleted, the first few are named; all others
                were.
        """
        failed: list[str] = []
        for start in range(0, len(keys), DELETE_BATCH):
            failed += self._delete_batch(keys[start : start + DELETE_BATCH])
        if failed:
            raise TransientError(
                f"Bucket {self.name!r}: {len(failed)} of {len(keys)} objects could not be "
                f"deleted: {', '.join(failed[:NAMED_KEYS])}{' …' if failed[NAMED_KEYS:] else ''}"
            )
        return len(keys)

    def _delete_batch(self, keys: Sequence[str]) -> list[str]:
        from botocore.exceptions import ClientError

        wanted: Any = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
        try:
            answer = self.client.delete_objects(Bucket=self.name, Delete=wanted)
        except ClientError as error:  # the store refuses this batch; the others may go
            return [f"{key} ({_code(error)})" for key in keys]
        return [f"{fault.get('Key')} ({fault.get('Code')})" for fault in answer.get("Errors", ())]

    def abort_uploads(self, prefix: str) -> int:
        """Abort every unfinished multipart upload under `prefix`; return how many."""
        count = 0
        for page in self.client.get_paginator("list_multipart_uploads").paginate(
            Bucket=self.name, Prefix=prefix
        ):
            for upload in page.get("Uploads", ()):
                self.abort_upload(upload["Key"], upload["UploadId"])
                count += 1
        return count

    def abort_upload(self, key: str, upload_id: str) -> None:
        """Abort a multipart upload; one that is no longer open is no fault."""
        from botocore.exceptions import ClientError

        try:
            self.client.abort_multipart_upload(Bucket=self.name, Key=key, UploadId=upload_id)
        except ClientError as error:
            if _code(error) not in MISSING:
                raise


def _code(error: Any) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))
