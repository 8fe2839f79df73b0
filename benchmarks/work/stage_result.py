"""Not measured: computes a result of rows that are staged, and stages it, as `compute` does."""

from __future__ import annotations

from benchmarks.work.specimen import SOURCE, a_report, a_run, compute
from reporting.airflow_edge.connections import staging_bucket
from reporting.core.inputs import Inputs
from reporting.core.result import Results, result_tables
from reporting.core.staging import Staging


def work(report: str) -> None:
    """Stage the rows of the report's source as its result."""
    made, run = a_report(report), a_run(report)
    staging = Staging(staging_bucket(), run.id)
    manifest = staging.manifest(SOURCE)
    if manifest is None:
        raise LookupError(f"Report {report!r}: nothing is staged to compute a result of.")
    inputs = Inputs(run, staging.bucket, {SOURCE: manifest}, {SOURCE: manifest.schema})
    Results(staging, made).persist(result_tables(compute(inputs), made), "benchmark")
