"""What was asked of a service: written before anything is sent, so that a crash never doubles.

The record lies beside the run's staged data, in `_requests/<source>.json`. It has all that is
needed to ask again, to look, and to cancel without the report's definition.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from reporting.errors import IntegrityError

if TYPE_CHECKING:
    from reporting.core.objects import Bucket
    from reporting.core.run import RunId

FOLDER = "_requests"  # no source name starts with _


@dataclass(frozen=True)
class RequestRecord:
    """One request of one source.

    Attributes:
        source: who asks.
        life: the life of the run it was made in.
        number: which request of this life: a job that failed is not asked for again, a new one is.
        way: `http` or `message`.
        conn_id: Airflow connection of the service.
        sent_at: ISO instant at which the record was made, before anything was sent.
        path: what was POSTed to; empty for a message.
        request: what was POSTed, to be able to send the same again.
        id_field: name in the answer that holds the job's id.
        cancel: where it is cancelled: a path with `{id}`, or the name of a queue; empty when it
            cannot be, or nothing was sent yet.
        job: what the service calls it; empty until it has answered.
        ended: why nothing more comes of it; empty while something may.
    """

    source: str
    life: str
    number: int
    way: str
    conn_id: str
    sent_at: str
    path: str = ""
    request: Mapping[str, Any] = field(default_factory=dict, repr=False)
    id_field: str = ""
    cancel: str = ""
    job: str = ""
    ended: str = ""

    def key(self, task_key: str) -> str:
        """Return the idempotency key: equal for equal requests, whatever is sent again."""
        text = f"{task_key}/{self.source}/{self.life}/{self.number}"
        return hashlib.sha256(text.encode()).hexdigest()[:32]


def life_of(run: RunId) -> str:
    """Return what tells the lives of a run apart."""
    return f"{run.clear_number} {run.started}"


@dataclass(frozen=True)
class RequestRecords:
    """The records of one run."""

    bucket: Bucket
    run: RunId

    def read(self, source: str) -> RequestRecord | None:
        """Return the record of a source, or None.

        Raises:
            IntegrityError: the object is none.
        """
        body = self.bucket.get(self.where(source))
        if body is None:
            return None
        try:
            return RequestRecord(**json.loads(body))
        except (ValueError, TypeError) as error:
            raise IntegrityError(
                f"Object {self.where(source)!r} is no request record ({error}); remove it."
            ) from None

    def write(self, record: RequestRecord) -> None:
        """Keep a record; it replaces the one before."""
        body = json.dumps(asdict(record), indent=1).encode()
        self.bucket.put(self.where(record.source), body, "application/json")

    def sources(self) -> Iterator[str]:
        """Yield every source with a record; for clean-up only."""
        prefix = f"{self.run.prefix}{FOLDER}/"
        for key in self.bucket.keys(prefix):
            name, _, rest = key.removeprefix(prefix).partition(".json")
            if name and not rest and "/" not in name:
                yield name

    def forget(self, source: str) -> None:
        """Remove a record."""
        self.bucket.delete([self.where(source)])

    def where(self, source: str) -> str:
        """Return the key of the object that is the record of a source."""
        return f"{self.run.prefix}{FOLDER}/{source}.json"
