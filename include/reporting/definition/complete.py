"""When what another system drops in S3 is complete: one class per way in which it tells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from reporting.definition.checked import checked
from reporting.definition.names import check_line
from reporting.errors import DefinitionError

NOTHING = timedelta(0)


@checked
@dataclass(frozen=True)
class Exists:
    """The object is there: a store shows an object only once all of it has come."""


@checked
@dataclass(frozen=True)
class Marker:
    """An object that is written last, such as `_SUCCESS`; its own content does not matter.

    While an object of the drop is newer than its marker, the drop is being written again and is
    waited for.

    Attributes:
        key: its name below the prefix, or its whole key where the source has a `key`; `{period}`
            is replaced.
    """

    key: str = "_SUCCESS"

    def __post_init__(self) -> None:
        """Refuse a blank name."""
        check_line("Marker: key", self.key)


@checked
@dataclass(frozen=True)
class ListedIn:
    """A JSON object that is written last and names the objects of the drop; no other is read.

    Each is a name below the prefix, or `{"key": name}` with any of `bytes`, `etag`, `sha256` and
    `rows`; what these say is compared.

    Attributes:
        key: name of that object below the prefix; `{period}` is replaced.
        items: name of the list in it; None when it is the list itself.
    """

    key: str = "manifest.json"
    items: str | None = "objects"

    def __post_init__(self) -> None:
        """Refuse blank names."""
        check_line("ListedIn: key", self.key)
        if self.items is not None:
            check_line("ListedIn: items", self.items)


@checked
@dataclass(frozen=True)
class Unchanged:
    """Nothing was added, replaced or removed for so long; for systems that tell nothing better.

    Age is told by the store's own clock, and two looks must find the same.

    Attributes:
        during: for how long.
    """

    during: timedelta

    def __post_init__(self) -> None:
        """Refuse a time in which nothing could change."""
        if self.during <= NOTHING:
            raise DefinitionError(f"Unchanged: during={self.during}; allowed: more than {NOTHING}.")


Complete = Exists | Marker | ListedIn | Unchanged
