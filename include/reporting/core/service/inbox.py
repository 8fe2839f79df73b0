"""What has been answered so far: every part is kept in the store before it is acknowledged.

A part that comes twice is kept once. One that comes again with other rows is a contradiction:
before the answer is whole it ends the request, afterwards it changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from reporting.core.service.request_record import FOLDER
from reporting.errors import ContractError, StagingGoneError
from reporting.messages import MessageError, Reply, reply_from

if TYPE_CHECKING:
    from reporting.core.objects import Bucket
    from reporting.core.run import RunId


COPY_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Inbox:
    """The parts of the answer to one request.

    Attributes:
        bucket: bucket of staged data.
        run: the run that asked.
        source: the source.
        key: of the request.
    """

    bucket: Bucket
    run: RunId
    source: str
    key: str

    def keep(self, reply: Reply, body: bytes) -> None:
        """Keep a part; it is durable when this returns.

        Raises:
            MessageError: the part contradicts what has come before. While the answer is not
                whole, that is the end of it: it could become a mix of two. Or it has no number,
                which is the end of it in any case: the others are not all that was sent.
        """
        if reply.part < 1:
            self.give_up(wrong := "a part has number 0; allowed: parts numbered from 1")
            raise MessageError(wrong)
        before = self.bucket.get(self._part(reply.part))
        wrong = self._contradiction(reply, None if before == body else before)
        if wrong:
            if self.missing != []:
                self.give_up(f"the service contradicts itself: {wrong}")
            raise MessageError(wrong)
        if before is None:
            self.bucket.put(self._part(reply.part), body, "application/json")
        if reply.is_last:
            self.bucket.put(self._last, json.dumps(reply.part).encode(), "application/json")

    def give_up(self, reason: str) -> None:
        """Note that there will be no answer, and why; the first reason counts."""
        if not self.failed:
            self.bucket.put(self._failed, reason.encode(), "text/plain")

    @property
    def failed(self) -> str:
        """Why there will be no answer; empty as far as is known."""
        return (self.bucket.get(self._failed) or b"").decode()

    @property
    def last(self) -> int | None:
        """Number of the last part, None while it has not come."""
        body = self.bucket.get(self._last)
        return None if body is None else int(body)

    @property
    def missing(self) -> list[int] | None:
        """Numbers of the parts that have not come; None while the last has not."""
        last = self.last
        if last is None:
            return None
        come = self._numbers()
        return [number for number in range(1, last + 1) if number not in come]

    def parts(self) -> Iterator[Reply]:
        """Yield all parts in order.

        Raises:
            StagingGoneError: one is missing.
        """
        for number in range(1, (self.last or 0) + 1):
            body = self.bucket.get(self._part(number))
            if body is None:
                raise StagingGoneError(f"Source {self.source!r}: part {number} is gone.")
            yield reply_from(body)

    def forget(self) -> None:
        """Remove what was kept."""
        self.bucket.delete(list(self.bucket.keys(self._prefix)))

    def _contradiction(self, reply: Reply, other: bytes | None) -> str:
        last = self.last
        if other is not None:
            return f"part {reply.part} came before with other rows"
        if last is not None and reply.part > last:
            return f"part {reply.part} comes after the last, which is {last}"
        if reply.is_last and last not in (None, reply.part):
            return f"part {reply.part} says that it is the last, as {last} did"
        highest = max(self._numbers(), default=0) if reply.is_last and last is None else 0
        if highest > reply.part:
            return f"part {reply.part} says that it is the last, but {highest} came before"
        return ""

    def _numbers(self) -> set[int]:
        """Return which parts have come: one question, however many there are."""
        prefix = self._part_prefix
        return {int(key[len(prefix) :].partition(".")[0]) for key in self.bucket.keys(prefix)}

    @property
    def _prefix(self) -> str:
        return f"{self.run.prefix}{FOLDER}/{self.source}/{self.key}/"

    @property
    def _failed(self) -> str:
        return f"{self._prefix}failed.txt"

    @property
    def _last(self) -> str:
        return f"{self._prefix}last.json"

    @property
    def _part_prefix(self) -> str:
        return f"{self._prefix}part-"

    def _part(self, number: int) -> str:
        return f"{self._part_prefix}{number:08d}.json"


@contextmanager
def referenced(bucket: Bucket, reply: Reply, source: str) -> Iterator[IO[bytes]]:
    """Open the bytes a part refers to, all of them verified; they take no memory.

    Raises:
        ContractError: they lie elsewhere than agreed, are gone, or are others than was said.
    """
    told = reply.reference
    assert told is not None  # noqa: S101 - asked before
    where = f"Source {source!r}, part {reply.part}: object {told.bucket}/{told.key}"
    if told.bucket != bucket.name:
        raise ContractError(f"{where}; allowed: objects in bucket {bucket.name!r}.")
    found = bucket.opened(told.key) if told.key else None
    if found is None:
        raise ContractError(f"{where} does not exist.")
    with TemporaryFile() as file, closing(found[0]):
        digest = hashlib.sha256()
        for piece in found[0].iter_chunks(COPY_BYTES):
            digest.update(piece)
            file.write(piece)
        if (file.tell(), digest.hexdigest()) != (told.bytes, told.sha256):
            raise ContractError(
                f"{where} has {file.tell()} bytes, SHA-256 {digest.hexdigest()}; the message says "
                f"{told.bytes}, {told.sha256}."
            )
        file.seek(0)
        yield file
