"""What a source looks for in S3 for one period, as plain values that a trigger can keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.definition.complete import ListedIn, Marker, Unchanged
from reporting.definition.placeholders import filled

if TYPE_CHECKING:
    from reporting.definition.drops import S3Source


@dataclass(frozen=True)
class Sought:
    """What is looked for, the period filled in.

    Attributes:
        source: name of the source, for messages.
        conn_id: Airflow connection of the store.
        bucket: where it is.
        key: the object; empty when it is a set.
        prefix: what the keys of the set begin with; empty when it is one object.
        suffix: what they end with.
        marker: whole key of the object that tells that all is there; empty when none does.
        listed_in: whole key of the object that lists the set; empty when none does.
        items: name of the list in it; None when it is the list itself.
        unchanged: seconds for which all must have stayed the same.
    """

    source: str
    conn_id: str
    bucket: str
    key: str
    prefix: str
    suffix: str
    marker: str
    listed_in: str
    items: str | None
    unchanged: float

    @property
    def place(self) -> str:
        """Where it is, in words."""
        if self.key:
            return f"object {self.bucket}/{self.key}"
        return f"objects {self.bucket}/{self.prefix}*{self.suffix}"


def sought_by(source: S3Source, period: str) -> Sought:
    """Return what a source looks for in one period."""

    def full(text: str | None) -> str:
        return filled(text or "", {"period": period}) or ""

    how = source.complete
    told = full(source.prefix) + full(source.told_by)
    return Sought(
        source=source.name,
        conn_id=source.conn_id,
        bucket=source.bucket,
        key=full(source.key),
        prefix=full(source.prefix),
        suffix=full(source.suffix),
        marker=told if isinstance(how, Marker) else "",
        listed_in=told if isinstance(how, ListedIn) else "",
        items=how.items if isinstance(how, ListedIn) else None,
        unchanged=how.during.total_seconds() if isinstance(how, Unchanged) else 0.0,
    )
