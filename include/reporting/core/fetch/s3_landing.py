"""The bucket in which another system drops what it has: looked at, and read in pinned versions."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.s3_body import ObjectBody
from reporting.core.fetch.s3_refusal import CHANGED, FORBIDDEN, code_of, refusal
from reporting.errors import ContractError

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

MAX_SMALL_BYTES = 16 * 1024 * 1024
# A bucket calls an object "null" that it may replace although it keeps versions of others.
UNPINNED = (None, "", "null")


@dataclass(frozen=True)
class Landed:
    """One object as a look has found it.

    Attributes:
        key: its key.
        etag: the store's name for its content.
        bytes: its size.
        modified: instant by the store's clock, in seconds.
        version: empty when the bucket keeps none; None when that was not asked, as in a listing.
    """

    key: str
    etag: str
    bytes: int
    modified: float
    version: str | None = None


class Landing:
    """A bucket as one connection sees it.

    Attributes:
        clock: instant of the store's latest answer, by its own clock, in seconds.
    """

    def __init__(self, client: S3Client, bucket: str, conn_id: str, source: str) -> None:
        """Keep where to look; source and connection are for messages."""
        self.clock = time.time()
        self._client = client
        self._bucket = bucket
        self._conn_id = conn_id
        self._source = source

    def where(self, key: str) -> str:
        """Return source and object, for messages."""
        return f"Source {self._source!r}: object {self._bucket}/{key}"

    def head(self, key: str) -> Landed | None:
        """Return an object, or None when there is none.

        Raises:
            TransientError: the store cannot be reached.
            TerminalError: the store refuses the connection, or has no such bucket.
        """
        from botocore.exceptions import ClientError

        with self._in_words(self.where(key)):
            try:
                return self._asked(key)
            except ClientError as error:
                if code_of(error) in CHANGED:
                    return None
                raise

    def _asked(self, key: str, **pin: Any) -> Landed:
        from botocore.exceptions import ClientError

        try:
            answer: Any = self._client.head_object(Bucket=self._bucket, Key=key, **pin)
        except ClientError:
            # An answer to HEAD has no body, so only one to GET says what is wrong.
            answer = self._client.get_object(Bucket=self._bucket, Key=key, **pin)
            answer["Body"].close()
        self._note_time(answer)
        modified = answer["LastModified"].timestamp()
        version = answer.get("VersionId", "")
        return Landed(key, answer["ETag"], answer["ContentLength"], modified, version)

    def listed(self, prefix: str) -> list[Landed]:
        """Return every object under a prefix in the order of the keys, without their versions.

        An empty object whose key ends in `/` stands for a folder and is none.

        Raises:
            TransientError: the store cannot be reached.
            TerminalError: the store refuses the connection, or has no such bucket.
        """
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=prefix
        )
        found: list[Landed] = []
        with self._in_words(self.where(prefix)):
            for page in pages:
                self._note_time(page)
                found += [_entry(entry) for entry in page.get("Contents", ())]
        real = [landed for landed in found if landed.bytes or not landed.key.endswith("/")]
        return sorted(real, key=lambda landed: landed.key.encode())

    def pinned(self, objects: Sequence[Landed]) -> list[Landed]:
        """Return objects with their versions, as far as the bucket keeps any.

        Raises:
            TransientError: one of them is another by now.
        """
        made: list[Landed] = []
        for landed in objects:
            if landed.version is None:
                with self._in_words(self.where(landed.key)):
                    now = self._asked(landed.key, IfMatch=landed.etag)
            else:
                now = landed
            made.append(now)
            if not now.version:  # nor has any other one
                return [*made, *objects[len(made) :]]
        return made

    def open(self, landed: Landed, sha256: str = "") -> ObjectBody:
        """Begin to read exactly this version of an object.

        Raises:
            TransientError: it is another by now.
        """
        where = self.where(landed.key)
        with self._in_words(where):
            answer = self._opened(landed)
        return ObjectBody(answer["Body"], where, landed.bytes, sha256)

    def _opened(self, landed: Landed) -> Any:
        from botocore.exceptions import ClientError

        read = partial(
            self._client.get_object, Bucket=self._bucket, Key=landed.key, IfMatch=landed.etag
        )
        if landed.version in UNPINNED:
            return read()
        try:
            return read(VersionId=str(landed.version))
        except ClientError as error:
            if code_of(error) != FORBIDDEN:
                raise
            return read()  # to read a version by name is a right of its own

    def small(self, landed: Landed) -> bytes:
        """Return the bytes of a small object.

        Raises:
            ContractError: it is not small.
        """
        if landed.bytes > MAX_SMALL_BYTES:
            raise ContractError(
                f"{self.where(landed.key)} has {landed.bytes} bytes; allowed: {MAX_SMALL_BYTES}."
            )
        with self.open(landed) as body:
            whole = body.read()
            body.demand_whole()
        return whole

    @contextmanager
    def _in_words(self, where: str) -> Iterator[None]:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield
        except (ClientError, BotoCoreError) as error:
            raise refusal(error, where, self._conn_id) from None

    def _note_time(self, answer: Any) -> None:
        said = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date")
        self.clock = parsedate_to_datetime(said).timestamp() if said else time.time()


def _entry(entry: Any) -> Landed:
    return Landed(entry["Key"], entry["ETag"], entry["Size"], entry["LastModified"].timestamp())
