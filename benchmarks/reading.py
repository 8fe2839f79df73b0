"""Read staged rows: `inputs.frame` in a compute function.

The floor is boto3's own download of the same objects to the local disk and then
`pandas.read_parquet(dtype_backend="pyarrow")` of them. Ours also compares the SHA-256 of all bytes
with the manifest; the floor compares nothing. Here opening connections does not count for either: a
compute function is handed inputs that have theirs. As one reading takes less than a second, there
are three times as many rounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.fetching import fetch
from benchmarks.figure import Figure, ratio
from benchmarks.measured import measured
from benchmarks.rows import query
from benchmarks.stand import BUCKET
from benchmarks.turns import in_turns

if TYPE_CHECKING:
    from benchmarks.options import Options
    from benchmarks.stand import Stand

GOAL = 1.3
OURS, FLOOR = "ours", "download and read_parquet"
REPORT = "read"


def measure(stand: Stand, options: Options) -> list[Figure]:
    """Return ours against the floor."""
    keys = fetch(stand, query(stand.rows_table(options.rows)), REPORT).facts["keys"]
    folder = stand.folder / "downloaded"
    folder.mkdir(exist_ok=True)
    there = {"keys": keys, "bucket": BUCKET, "folder": str(folder)}
    environment = stand.environment()
    contenders = {
        OURS: lambda: measured("frame", environment, report=REPORT).seconds,
        FLOOR: lambda: measured("read_parquet", environment, **there).seconds,
    }
    seconds = in_turns(contenders, 3 * options.rounds, stand.settle)
    compared = f"{FLOOR} {seconds[FLOOR]:.2f} s; ours, with SHA-256: {seconds[OURS]:.2f} s"
    what = f"read {options.rows:,} rows as a frame"
    return [Figure(what, ratio(seconds[OURS], seconds[FLOOR]), "x", GOAL, compared)]
