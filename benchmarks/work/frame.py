"""Ours: staged rows as a frame, every byte verified, as a compute function gets it."""

from __future__ import annotations

from benchmarks.work.specimen import SOURCE, a_run
from reporting.airflow_edge.connections import staging_bucket
from reporting.core.inputs import Inputs
from reporting.core.staging import Staging


def prepare(report: str) -> dict[str, Inputs]:
    """Make what a compute function is handed."""
    run = a_run(report)
    staging = Staging(staging_bucket(), run.id)
    manifest = staging.manifest(SOURCE)
    if manifest is None:
        raise LookupError(f"Report {report!r}: nothing is staged that could be read.")
    return {"inputs": Inputs(run, staging.bucket, {SOURCE: manifest}, {SOURCE: manifest.schema})}


def work(inputs: Inputs) -> int:
    """Read the frame and return the number of its rows."""
    return len(inputs.frame(SOURCE))
