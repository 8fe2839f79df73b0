"""What the bytes of an answer or an object are."""

from __future__ import annotations

from dataclasses import dataclass

from reporting.definition.checked import checked
from reporting.definition.names import check_line


@checked
@dataclass(frozen=True)
class JsonBody:
    """JSON with one list of rows.

    Attributes:
        items: name of the list in the answer; None when the answer is the list itself.
    """

    items: str | None = "items"

    def __post_init__(self) -> None:
        """Refuse a blank name."""
        if self.items is not None:
            check_line("JsonBody: items", self.items)


@checked
@dataclass(frozen=True)
class NdjsonBody:
    """One JSON object per line, in UTF-8 or the charset that a service declares."""


@checked
@dataclass(frozen=True)
class CsvBody:
    """CSV with a header line, in UTF-8 or the charset that a service declares."""


@checked
@dataclass(frozen=True)
class ParquetBody:
    """A Parquet file."""


Body = JsonBody | NdjsonBody | CsvBody | ParquetBody
