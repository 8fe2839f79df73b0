"""Parses files as Airflow's dag-processor and its workers do: each in a fork of a process.

The parent has imported what the dag-processor has when it forks. What a file imports beyond that is
imported anew for each file, and counts.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import structlog
from airflow.dag_processing import manager, processor
from airflow.dag_processing.dagbag import BundleDagBag
from airflow.sdk.definitions._internal.dag_parsing_context import _airflow_parsing_context_manager

from reporting.airflow_edge.warm_start import warm_start

PARTS = (manager,)  # imported for what it imports
LOG = structlog.get_logger()
FEWER = 5  # a worker's parse is measured for every fifth file


def work(folder: str, reports: list[str], by_hand: list[str]) -> dict[str, list[float]]:
    """Return the seconds per file: on the dag-processor, then on a worker."""
    place = Path(folder)
    taken: dict[str, list[float]] = {
        name: [] for name in ("report", "by_hand", "wanted", "unwanted")
    }
    for report, other in zip(reports, by_hand, strict=True):
        taken["report"].append(_in_dag_processor(place / report))
        taken["by_hand"].append(_in_dag_processor(place / other))
    warm_start()  # as the process has done that a task is forked from
    for report in reports[::FEWER]:
        dag_id = Path(report).stem
        taken["wanted"].append(_on_worker(place / report, dag_id, expected=1))
        taken["unwanted"].append(_on_worker(place / report, "another", expected=0))
    return taken


def _in_dag_processor(path: Path) -> float:
    def parse() -> int:
        request = processor.DagFileParseRequest(
            file=str(path), bundle_path=path.parent, bundle_name="bench"
        )
        result = processor._parse_file(request, LOG)  # noqa: SLF001 - what Airflow's fork runs
        if result is None or result.import_errors:
            raise RuntimeError(f"{path.name}: {result}")
        return len(result.serialized_dags)

    processor._pre_import_airflow_modules(str(path), LOG)  # noqa: SLF001 - before the fork
    return _forked(parse, expected=1)


def _on_worker(path: Path, wanted: str, expected: int) -> float:
    def parse() -> int:
        with _airflow_parsing_context_manager(dag_id=wanted, task_id="init"):
            bag = BundleDagBag(
                dag_folder=str(path),
                safe_mode=False,
                load_op_links=False,
                bundle_path=path.parent,
                bundle_name="bench",
            )
        return len(bag.dags)

    return _forked(parse, expected)


def _forked(parse: Callable[[], int], expected: int) -> float:
    """Return the seconds of `parse` in a process of its own, which must find so many DAGs."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, json.dumps(_told(parse)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        told: dict[str, Any] = json.loads(answer.read() or "{}")
    os.waitpid(child, 0)
    if told.get("found") != expected:
        raise RuntimeError(f"a parse told {told}; expected {expected} DAGs.")
    return float(told["seconds"])


def _told(parse: Callable[[], int]) -> dict[str, Any]:
    started = time.perf_counter()
    found = parse()
    return {"seconds": time.perf_counter() - started, "found": found}
