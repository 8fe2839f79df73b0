"""The jobs of the rates service: one file each, so that a restart loses none.

What a job is doing follows from the clock. Only what somebody did to it is written down.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

RUNNING, DONE, CANCELLED = "running", "done", "cancelled"
_ID = re.compile(r"[0-9a-f]{20}\Z")


@dataclass(frozen=True)
class Job:
    """One order for rates.

    Attributes:
        id: what the service calls it.
        rates: which rates: `in_month` or `last_before_month`.
        month: `YYYY-MM`.
        submitted_at: seconds since 1970.
        takes: seconds until it is done.
        callback_url: whom to tell when it is done; None for nobody.
        is_cancelled: whether it is no longer wanted.
        is_told: whether the callback was taken.
    """

    id: str
    rates: str
    month: str
    submitted_at: float
    takes: float
    callback_url: str | None = None
    is_cancelled: bool = False
    is_told: bool = False

    @property
    def done_at(self) -> float:
        """When it is done, in seconds since 1970."""
        return self.submitted_at + self.takes

    def status(self, now: float) -> str:
        """What it is doing."""
        if self.is_cancelled:
            return CANCELLED
        return DONE if now >= self.done_at else RUNNING

    def progress(self, now: float) -> int:
        """How much of it is done, in percent."""
        share = 1.0 if now >= self.done_at else (now - self.submitted_at) / self.takes
        return max(0, int(100 * share))

    def is_same_order(self, other: "Job") -> bool:
        """Whether both ask for the same rates."""
        return (self.rates, self.month) == (other.rates, other.month)


class KeyReusedError(ValueError):
    """An idempotency key that stands for another order already."""


class JobFolder:
    """All jobs, for use by one thread."""

    def __init__(self, folder: Path) -> None:
        """Keep them in `folder`, which is made when it is missing."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder

    def take(self, order: Job) -> Job:
        """Keep a job, or return the one that has its id already.

        Raises:
            KeyReusedError: that one is for other rates.
        """
        known = self.find(order.id)
        if known is None:
            self._write(order)
            return order
        if not known.is_same_order(order):
            raise KeyReusedError(order.id)
        return known

    def find(self, job_id: str) -> Job | None:
        """The job of that id, or None."""
        path = self._path(job_id)
        if not _ID.match(job_id) or not path.exists():
            return None
        return Job(**json.loads(path.read_text()))

    def cancel(self, job: Job) -> None:
        """Note that a job is no longer wanted."""
        self._write(replace(job, is_cancelled=True))

    def note_told(self, job: Job) -> None:
        """Note that the callback of a job was taken."""
        self._write(replace(job, is_told=True))

    def untold(self) -> Iterator[Job]:
        """The jobs somebody waits to be told of."""
        for path in sorted(self._folder.glob("*.json")):
            job = self.find(path.stem)
            if job and job.callback_url and not job.is_told and not job.is_cancelled:
                yield job

    def forget_submitted_before(self, moment: float) -> None:
        """Remove jobs that nobody can be interested in any more."""
        for path in self._folder.glob("*.json"):
            job = self.find(path.stem)
            if job and job.submitted_at < moment:
                path.unlink()

    def _write(self, job: Job) -> None:
        path = self._path(job.id)
        part = path.with_suffix(".part")
        with part.open("w") as file:
            json.dump(asdict(job), file)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)

    def _path(self, job_id: str) -> Path:
        return self._folder / f"{job_id}.json"


def id_of(key: str) -> str:
    """The id of the job an idempotency key stands for: the same key, the same job."""
    return hashlib.sha256(key.encode()).hexdigest()[:20]
