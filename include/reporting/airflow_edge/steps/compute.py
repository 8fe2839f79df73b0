"""`compute`: runs the report's function on verified input and persists what it returns."""

from __future__ import annotations

import hashlib
import inspect
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import staging_bucket, warehouse
from reporting.airflow_edge.holding import hold
from reporting.airflow_edge.run_context import missing_sources, run_of, task_states
from reporting.core.inputs import Inputs
from reporting.core.result import Results, fingerprint_of, result_tables
from reporting.core.settled import settled_manifests
from reporting.core.staging import Staging

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.definition.report import Report

log = logging.getLogger(__name__)


def compute(report: Report, context: Context) -> dict[str, Any]:
    """Compute the tables, or reuse those computed from the same input before.

    Returns:
        Rows per table, the fingerprint, and whether the result was reused.

    Raises:
        StagingGoneError: a source is not what `await_sources` has waited for; names the tasks to
            clear.
        IntegrityError: staged data is not what its manifest says.
        ContractError: a frame does not keep its table's declaration.
    """
    run = run_of(report, context)
    with warehouse() as connection:
        hold(connection, report, run, context)
    staging = Staging(staging_bucket(), run.id)
    inputs = read_inputs(report, context, staging)
    fingerprint = fingerprint_of(inputs, report, _code_digest(report))
    results = Results(staging, report)
    reused = results.reusable(fingerprint)
    if reused is None:
        tables = result_tables(report.compute(inputs), report)
        found = results.persist(tables, fingerprint)
    else:
        log.info("The result of the same input is staged already and is reused.")
        found = reused
    rows = {name: manifest.rows for name, manifest in found.items()}
    return {"rows": rows, "fingerprint": fingerprint, "reused": reused is not None}


def read_inputs(report: Report, context: Context, staging: Staging) -> Inputs:
    """Return the inputs of the run as they are committed now.

    Raises:
        StagingGoneError: a source is not what `await_sources` has waited for; names the tasks to
            clear.
    """
    run, missing = run_of(report, context), missing_sources(report, context)
    manifests = settled_manifests(report, run, task_states(context), missing, staging.manifest)
    schemas = {source.name: source.schema for source in report.sources}
    return Inputs(run, staging.bucket, manifests, schemas, missing)


def _code_digest(report: Report) -> str:
    """Return a digest of the report's own file and of this package's version."""
    from importlib.metadata import version

    source = Path(inspect.getfile(report.compute)).read_bytes()
    return hashlib.sha256(source + version("airflow-reporting").encode()).hexdigest()
