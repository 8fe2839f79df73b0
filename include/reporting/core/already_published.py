"""What is said to a person who asks for figures that are published already (R15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any


@dataclass(frozen=True)
class AlreadyPublished:
    """The current release of a request.

    Attributes:
        version: its version.
        run_id: the Airflow run that has published it.
        published_at: when readers could see it first, an ISO instant.
        missing: optional sources it was made without.
    """

    version: int
    run_id: str
    published_at: str
    missing: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return plain data for an XCom, which knows no tuples."""
        return {**asdict(self), "missing": list(self.missing)}

    @property
    def text(self) -> str:
        """Which release it is, and how to get a new one."""
        at = datetime.fromisoformat(self.published_at).astimezone(UTC)
        lacks = f" (incomplete, without {' and '.join(self.missing)})" if self.missing else ""
        return (
            f"published already as version {self.version}{lacks} by run {self.run_id} on "
            f"{at:%Y-%m-%d %H:%M} UTC; to make a new version trigger with `refresh` true "
            "(reports trigger … --refresh), or clear that run"
        )


def already_published(data: Mapping[str, Any]) -> AlreadyPublished:
    """Read what `AlreadyPublished.to_json` wrote."""
    return AlreadyPublished(**{**data, "missing": tuple(data["missing"])})
