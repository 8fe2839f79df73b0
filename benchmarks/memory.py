"""Memory of a fetch: the most that the process of one fetch has held (`ru_maxrss`), once each.

It includes what the process holds before the fetch: Airflow and the libraries. More rows than the
source table has are fetched by reading it repeatedly in one query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.fetching import fetch
from benchmarks.figure import Figure, ratio
from benchmarks.rows import query, repeated

if TYPE_CHECKING:
    from benchmarks.options import Options
    from benchmarks.stand import Stand

PEAK_MB, GROWTH = 400, 1.15
SMALL, LARGE = 1_000_000, 10_000_000


def measure(stand: Stand, options: Options) -> list[Figure]:
    """Return the peak of one fetch, and the peak of many rows against that of few."""
    held = options.rows
    table = stand.rows_table(held)
    peak = _peak(stand, query(table), held)
    small, large = (_peak(stand, repeated(table, held, n), n) for n in (SMALL, LARGE))
    compared = f"{SMALL:,} rows: {small:.0f} MiB; {LARGE:,} rows: {large:.0f} MiB"
    return [
        Figure(f"memory of fetching {held:,} rows", round(peak), "MiB", PEAK_MB, "no peer"),
        Figure("memory of ten times the rows", ratio(large, small), "x", GROWTH, compared),
    ]


def _peak(stand: Stand, sql: str, rows: int) -> float:
    fetched = fetch(stand, sql, "memory")
    print(f"  {rows:,} rows: {fetched.peak_mb:.0f} MiB, {fetched.seconds:.1f} s", flush=True)
    return fetched.peak_mb
