"""Starts a measured process and takes what it tells."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from embedded_stack.layout import CHECKOUT


@dataclass(frozen=True)
class Measured:
    """What one measured process has told.

    Attributes:
        seconds: wall time of the work.
        peak_mb: the most memory the process has held, MiB.
        facts: what else the work found.
    """

    seconds: float
    peak_mb: float
    facts: Mapping[str, Any]


def measured(
    work: str, environment: Mapping[str, str], python: str = sys.executable, **arguments: Any
) -> Measured:
    """Do a piece of `benchmarks.work` in a process of its own.

    Args:
        work: name of the module.
        environment: of the process.
        python: the interpreter whose packages the work needs.
        arguments: for the work. No passwords: they show in lists of processes.

    Raises:
        RuntimeError: it failed; with the end of what it said.
    """
    done = subprocess.run(
        [python, "-m", "benchmarks.child", work, json.dumps(arguments)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=CHECKOUT,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{work} ended with {done.returncode}: {done.stderr[-2000:]}")
    return Measured(**json.loads(done.stdout.splitlines()[-1]))
