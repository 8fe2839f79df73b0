"""Sources that another system drops in S3: an object, or all objects under a prefix."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from reporting.definition.bodies import Body, CsvBody
from reporting.definition.checked import checked
from reporting.definition.complete import Complete, Exists, ListedIn, Marker, Unchanged
from reporting.definition.jobs import SHORTEST_PAUSE
from reporting.definition.names import check_line
from reporting.definition.placeholders import check_placeholders
from reporting.definition.source import LONGEST_LIMIT, Source
from reporting.errors import DefinitionError

AT_ONCE = timedelta(0)


@checked
@dataclass(frozen=True)
class S3Source(Source):
    """Rows of one object, or of all objects under a prefix, that another system drops in S3.

    They are read once the drop is complete, in the order of their keys, and each in exactly the
    version that was found then: one that is replaced meanwhile makes the fetch look again.

    Attributes:
        conn_id: Airflow connection of type `aws`.
        key: the object's key; `{period}` is replaced.
        bucket: the bucket.
        prefix: instead of `key`, what the keys of the drop begin with; it ends in `/`, and
            `{period}` is replaced.
        suffix: of the objects under `prefix`, only those whose key ends so are read.
        body: what each object is.
        complete: how to tell that all of it is there; a `prefix` needs another than `Exists()`.
        wait: how long a fetch waits for a drop that is not complete, without a worker slot; by
            default it fails and is tried again, as often as `retry` of the report says.
        longest_pause: longest wait between two looks.
    """

    key: str | None = None
    bucket: str = "landing"
    prefix: str | None = None
    suffix: str = ""
    body: Body = field(default_factory=CsvBody)
    complete: Complete = field(default_factory=Exists)
    wait: timedelta = AT_ONCE
    longest_pause: timedelta = timedelta(seconds=30)

    def _check_own(self) -> None:
        if (self.key is None) == (self.prefix is None):
            raise self._refused(f"key={self.key!r}, prefix={self.prefix!r}", "exactly one of them")
        super()._check_own()
        if self.prefix is None:
            self._check_key()
        else:
            self._check_prefix(self.prefix)
        self._check_waiting()

    def _check_key(self) -> None:
        if self.key is not None and self.key.endswith("/"):
            raise self._refused(f"key={self.key!r}", "a key that does not end in '/', or prefix")
        if self.suffix:
            raise self._refused(f"suffix={self.suffix!r} with a key", "a suffix with a prefix")
        if isinstance(self.complete, ListedIn):
            raise self._refused("complete=ListedIn(...) with a key", "a prefix with it")
        if self.told_by == self.key:
            raise self._refused(f"the marker {self.told_by!r} is the key itself", "another object")

    def _check_prefix(self, prefix: str) -> None:
        if not prefix.endswith("/"):
            example = f"that of {prefix + '0'!r} too"
            raise self._refused(f"prefix={prefix!r}", f"one that ends in '/', else it is {example}")
        if isinstance(self.complete, Exists):
            raise self._refused(
                "prefix without complete",
                "complete=Marker(...), ListedIn(...) or Unchanged(...), because a listing does not "
                "tell whether more will come",
            )
        if self.told_by is not None and self.told_by.startswith(prefix):
            raise self._refused(f"complete names {self.told_by!r}", "its name below the prefix")

    def _check_waiting(self) -> None:
        if not AT_ONCE <= self.wait <= LONGEST_LIMIT:
            raise self._refused(f"wait={self.wait}", f"{AT_ONCE} to {LONGEST_LIMIT}")
        if self.longest_pause < SHORTEST_PAUSE:
            raise self._refused(f"longest_pause={self.longest_pause}", f"{SHORTEST_PAUSE} or more")
        if isinstance(self.complete, Unchanged) and self.wait < self.complete.during:
            raise self._refused(
                f"wait={self.wait}, complete=Unchanged(during={self.complete.during})",
                "a wait that is at least as long, because two looks must find the same",
            )

    def _refused(self, got: str, allowed: str) -> DefinitionError:
        return DefinitionError(f"Source {self.name!r}: {got}; allowed: {allowed}.")

    @property
    def told_by(self) -> str | None:
        """The object that tells that the drop is complete, as it is named in `complete`."""
        return self.complete.key if isinstance(self.complete, Marker | ListedIn) else None

    @property
    def longest_wait(self) -> timedelta:
        """How long its fetch may wait without a worker."""
        return self.wait

    @property
    def _texts(self) -> tuple[str, ...]:
        return ("bucket", "key" if self.prefix is None else "prefix")

    def check_use(self, params: Collection[str], folder: Path) -> None:  # noqa: ARG002 - no file
        """Refuse a text with a placeholder other than the period, or of more than one line."""
        where = f"Source {self.name!r}"
        texts = {"key": self.key, "prefix": self.prefix, "complete": self.told_by}
        for name, text in texts.items():
            check_placeholders(f"{where}: {name}", text or "", ("period",))
        if self.suffix:
            check_line(f"{where}: suffix", self.suffix)
            check_placeholders(f"{where}: suffix", self.suffix, ("period",))
