"""How much is measured; the defaults are what the goals are about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Options:
    """How much is measured.

    Attributes:
        rows: rows that are fetched and read.
        published_rows: rows that are published.
        few_rows: rows for peers that would need many minutes for all of them.
        rounds: how often each is measured, in turns; the median counts.
    """

    rows: int = 3_000_000
    published_rows: int = 1_000_000
    few_rows: int = 50_000
    rounds: int = 3
