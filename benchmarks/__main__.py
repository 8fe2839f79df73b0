"""Runs every benchmark, prints a table and writes `var/bench/results.json`."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks import overhead, parsing
from benchmarks.figure import Figure, table, write
from embedded_stack.layout import CHECKOUT

BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "parsing": parsing.measure,
    "overhead": overhead.measure,
}
RESULTS = CHECKOUT / "var" / "bench" / "results.json"


def main() -> None:
    """Run the named benchmarks, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(BENCHMARKS))
    names = parser.parse_args().names or list(BENCHMARKS)
    if unknown := set(names) - set(BENCHMARKS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; allowed: {', '.join(BENCHMARKS)}")
    figures = []
    for name in names:
        print(f"{name} …", flush=True)
        figures += BENCHMARKS[name]()
    print(table(figures))
    write(figures, RESULTS)
    print(f"written to {RESULTS.relative_to(CHECKOUT)}")


main()
