"""Measures speed and memory, prints a table and writes it to `var/bench/results.json`.

When all benchmarks have run, the page `docs/performance.md` is written too.
"""

from __future__ import annotations

import argparse
import inspect
import os
import shlex
import sys
from collections.abc import Callable, Collection
from dataclasses import fields
from datetime import UTC, datetime

from benchmarks import (
    center,
    definitions,
    fetching,
    memory,
    overhead,
    parsing,
    publishing,
    reading,
    waiting,
)
from benchmarks.figure import Figure, table, write
from benchmarks.machine import Machine, this_machine
from benchmarks.options import Options
from benchmarks.page import Conditions, page
from benchmarks.stand import Stand, running_stand
from embedded_stack.layout import CHECKOUT

ALONE: dict[str, Callable[[], list[Figure]]] = {
    "parsing": parsing.measure,
    "definitions": definitions.measure,
    "overhead": overhead.measure,
    "waiting": waiting.measure,
    "center": center.measure,
}
ON_STAND: dict[str, Callable[[Stand, Options], list[Figure]]] = {
    "fetching": fetching.measure,
    "memory": memory.measure,
    "publishing": publishing.measure,
    "reading": reading.measure,
}
RESULTS = CHECKOUT / "var" / "bench" / "results.json"
PAGE = CHECKOUT / "docs" / "performance.md"


def main() -> None:
    """Run the named benchmarks, or all."""
    names, options = _asked()
    # Measured processes find compiled files, as Airflow's do.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    machine = this_machine()
    figures = _measured(names, options)
    print(table(figures))
    write(figures, RESULTS)
    if set(names) == {*ALONE, *ON_STAND}:
        PAGE.write_text(_page(figures, options, machine), encoding="utf-8")
        print(f"written to {PAGE.relative_to(CHECKOUT)}")


def _measured(names: Collection[str], options: Options) -> list[Figure]:
    figures = []
    for name in (name for name in ALONE if name in names):
        print(f"{name} …", flush=True)
        figures += ALONE[name]()
    if wanted := [name for name in ON_STAND if name in names]:
        with running_stand() as stand:
            for name in wanted:
                print(f"{name} …", flush=True)
                figures += ON_STAND[name](stand, options)
    return figures


def _page(figures: list[Figure], options: Options, machine: Machine) -> str:
    benchmarks = {**ALONE, **ON_STAND}
    texts = {name: inspect.getdoc(inspect.getmodule(it)) or "" for name, it in benchmarks.items()}
    given = shlex.join(sys.argv[1:])
    command = f"make bench ARGS={shlex.quote(given)}" if given else "make bench"
    day = datetime.now(UTC).date()
    return page(figures, texts, Conditions(machine, options, day, command))


def _asked() -> tuple[list[str], Options]:
    known = [*ALONE, *ON_STAND]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(known))
    for field in fields(Options):
        flag = f"--{field.name.replace('_', '-')}"
        parser.add_argument(flag, type=int, default=field.default, help="default: %(default)s")
    given = vars(parser.parse_args())
    names = given.pop("names") or known
    if unknown := set(names) - set(known):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; allowed: {', '.join(known)}")
    return names, Options(**given)


main()
