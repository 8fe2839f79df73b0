"""Plays seeded plans of faults on a stack of its own and checks the invariants of the design.

Usage: python -m tests.faults --runs 20 --seed 1
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

from embedded_stack.layout import CHECKOUT
from tests.faults.campaign import Campaign
from tests.faults.deployed import deployed
from tests.faults.drawing import draw
from tests.faults.ground import standing
from tests.faults.own import OWN
from tests.faults.samples import SUBJECTS
from tests.faults.trial import Trial

AT_ONCE = 6


def parser() -> argparse.ArgumentParser:
    """Return what the command line understands."""
    made = argparse.ArgumentParser(prog="tests.faults", description="Plays seeded faults.")
    made.add_argument("--runs", type=_count, default=20, help="how many seeds (default: 20)")
    made.add_argument("--seed", type=int, default=1, help="the first seed (default: 1)")
    made.add_argument("--at-once", type=_count, default=AT_ONCE, help="runs at the same time")
    made.add_argument("--home", type=Path, default=CHECKOUT / "var" / "chaos", help="folder")
    made.add_argument("--report", help="a report of dags/ instead of the harness's own")
    made.add_argument("--first", type=date.fromisoformat, help="first day for --report")
    made.add_argument("--days", type=_count, help="how many days --report has data for")
    made.add_argument("--list", action="store_true", help="only show the plans of its own reports")
    return made


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got {text}; allowed: 1 or more")
    return int(text)


def _checked(asked: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    given = asked.parse_args(arguments)
    if given.report and (given.first is None or given.days is None):
        asked.error("--report needs --first and --days")
    if not given.report and (given.first or given.days):
        asked.error("--first and --days go with --report")
    if given.days is not None and given.days < given.runs:
        asked.error(f"--days {given.days} is too few; allowed: one for each of {given.runs} runs")
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, and return the code to exit with."""
    given = _checked(parser(), arguments)
    seeds = range(given.seed, given.seed + given.runs)
    if given.list:
        print("\n".join(str(draw(SUBJECTS, seed)) for seed in seeds))
        return 0
    trial = deployed(given.report, given.first, given.days) if given.report else OWN
    given.home.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=given.home / "services.log", filemode="w")
    with (given.home / f"{given.seed}.log").open("w") as log:

        def write(line: str) -> None:
            for file in (log, sys.stdout):
                print(f"{time.strftime('%H:%M:%S')} {line}", file=file, flush=True)

        broken = play(trial, seeds, given.home / "stack", given.at_once, write)
        _summarise(broken, seeds, write)
    return 1 if broken else 0


def play(
    trial: Trial, seeds: Sequence[int], home: Path, at_once: int, write: Callable[[str], None]
) -> dict[int, list[str]]:
    """Play the plans of some seeds on a fresh stack; return what is broken, per seed."""
    with standing(home, trial.reports) as ground:
        subjects = trial.subjects(ground)
        plans = [draw(subjects, seed) for seed in seeds]
        write(f"the stack is up; {len(plans)} runs, {at_once} at once")
        return Campaign(ground, plans, trial.prepare, at_once, write).run()


def _summarise(
    broken: dict[int, list[str]], seeds: Sequence[int], write: Callable[[str], None]
) -> None:
    for seed, said in sorted(broken.items()):
        write(f"seed {seed}: broken:" if seed else "no seed's own: broken:")
        for line in said:
            write(f"  {line}")
    write(f"{len(seeds)} runs, {len(broken)} with broken invariants")
    for seed in sorted(filter(None, broken)):
        first = max(seed - AT_ONCE, seeds[0])
        write(f"replay: make chaos SEED={seed} N=1")
        write(f"  with its neighbours: make chaos SEED={first} N={2 * AT_ONCE}")


if __name__ == "__main__":
    sys.exit(main())
