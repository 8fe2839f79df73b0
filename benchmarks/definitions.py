"""Parse many reports: 500 files with a definition each, against 500 with the same DAG by hand.

Both are parsed by the function that Airflow's dag-processor runs, each file in a fork of a process
that has imported what the dag-processor has. So what this package imports for a file is imported
and counted 500 times. Compiled files lie beside the sources, as they do from the second parse on.
The DAG by hand uses `@task` and imports hooks and pandas inside the tasks.

A worker parses the file of its task with that DAG's name at hand. There a report of another name is
checked but not built. What that saves is measured in forks of a warm process, as tasks are.
"""

from __future__ import annotations

import os
import py_compile
import shutil
from pathlib import Path

from benchmarks.figure import Figure, middle, ratio
from benchmarks.measured import measured
from embedded_stack.layout import CHECKOUT

FILES = 500
OVER_HAND, OVER_WANTED = 1.5, 1
HOME = CHECKOUT / "var" / "bench" / "definitions"
TEMPLATES = Path(__file__).parent / "definition"


def measure() -> list[Figure]:
    """Return a definition against a DAG by hand, and an unwanted one against a wanted one."""
    shutil.rmtree(HOME, ignore_errors=True)
    folder = HOME / "dags"
    folder.mkdir(parents=True)
    files = {kind: _write(folder, kind) for kind in ("report", "by_hand")}
    environment = {**os.environ, "AIRFLOW_HOME": str(HOME)}
    told = measured(
        "parse_files",
        environment,
        folder=str(folder),
        reports=files["report"],
        by_hand=files["by_hand"],
    )
    shutil.rmtree(HOME)
    return _figures(
        {name: middle([1000 * second for second in taken]) for name, taken in told.facts.items()}
    )


def _write(folder: Path, kind: str) -> list[str]:
    text = (TEMPLATES / f"{kind}.py").read_text()
    names = [f"{kind}_{number:03d}" for number in range(FILES)]
    for name in names:
        path = folder / f"{name}.py"
        path.write_text(text.replace("the_name", name))
        py_compile.compile(str(path), doraise=True)
    return [f"{name}.py" for name in names]


def _figures(ms: dict[str, float]) -> list[Figure]:
    return [
        Figure(
            f"parse {FILES} reports in {FILES} files, per file",
            ratio(ms["report"], ms["by_hand"]),
            "x",
            OVER_HAND,
            f"the same DAG by hand {ms['by_hand']:.0f} ms; the report: {ms['report']:.0f} ms",
        ),
        Figure(
            "parse a report on a worker that wants another",
            ratio(ms["unwanted"], ms["wanted"]),
            "x",
            OVER_WANTED,
            f"one that wants it {ms['wanted']:.1f} ms; another: {ms['unwanted']:.1f} ms",
        ),
    ]
