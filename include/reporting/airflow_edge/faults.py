"""One thing after the other: what goes wrong with one stops none of the others, and is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from reporting.core.redact import without_secrets
from reporting.errors import TransientError


@dataclass(frozen=True)
class Faults:
    """What has gone wrong so far."""

    told: list[str] = field(default_factory=list)

    @contextmanager
    def noted(self, what: str) -> Iterator[None]:
        """Do something in the block; an error is noted, and goes no further."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, the others are still due
            self.told.append(without_secrets(f"{what}: {type(error).__name__}: {error}"))

    def tell(self) -> None:
        """Raise what was noted, if anything was.

        Raises:
            TransientError: the next sweep tries again.
        """
        if self.told:
            raise TransientError("; ".join(self.told))
