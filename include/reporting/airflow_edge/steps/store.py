"""`store`: makes the files, then publishes everything in one transaction: the pivot."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.holding import hold
from reporting.airflow_edge.places import places
from reporting.airflow_edge.run_context import run_of
from reporting.airflow_edge.steps.compute import read_inputs
from reporting.airflow_edge.still_wanted import demand_wanted
from reporting.core.arrow import arrow_schema
from reporting.core.files import ReportFiles
from reporting.core.inputs import read_parts
from reporting.core.quarantine import refused_from
from reporting.core.result import FINGERPRINT, Results, demand_same_input
from reporting.core.staging import Staging
from reporting.core.verified import verified_bytes
from reporting.core.warehouse.fence import note_held, settled_release
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import SET_ASIDE, Edition
from reporting.core.warehouse.runs import published_files
from reporting.errors import TransientError

if TYPE_CHECKING:
    import pyarrow as pa
    from airflow.sdk import Context

    from reporting.core.fit import Refused
    from reporting.core.inputs import Inputs
    from reporting.core.manifest import Manifest
    from reporting.core.objects import Bucket
    from reporting.core.run import Run
    from reporting.core.saga import Places
    from reporting.definition.report import Report

log = logging.getLogger(__name__)


def store(report: Report, context: Context) -> dict[str, Any]:
    """Publish the computed tables, once per life of the run.

    Returns:
        The release: id, period, version, rows per table, file keys, missing sources, rows set
        aside.

    Raises:
        StagingGoneError: the computed tables are no longer staged, or stem from other input.
        ClaimError: another run works on the same request.
    """
    run = run_of(report, context)
    with places() as at:
        release = settled_release(at.warehouse, run.id)
        if release is None:
            hold(at.warehouse, report, run, context)
            inputs = read_inputs(report, context, Staging(at.staging, run.id))
            edition = _edition(report, run, at, inputs)
            guard = partial(_demand_publishable, context, at.reports, edition.files)
            release = publish(at.warehouse, report, run, edition, guard)
    log.info("Published %s, period %s, version %s.", report.name, run.period.key, release.version)
    return {
        "release_id": release.release_id,
        "period": run.period.key,
        "version": release.version,
        "rows": dict(release.row_counts),
        "files": list(release.files),
        "missing": dict(release.missing),
        "quarantined": dict(release.quarantined),
    }


def _demand_publishable(context: Context, bucket: Bucket, files: Sequence[str]) -> None:
    """Refuse to commit for a task that is not wanted any more, or without a file.

    Asked when whoever removes files of the run has to wait, so that none goes after it.
    """
    demand_wanted(context, "nothing was committed")
    if gone := [key for key in files if not bucket.has(key)]:
        raise TransientError(
            f"Bucket {bucket.name!r} lacks {gone[0]}, which this try has written: another try, or "
            "the clean-up of a failure, has removed it. Nothing was committed; it is tried again."
        )


def _edition(report: Report, run: Run, at: Places, inputs: Inputs) -> Edition:
    manifests = Results(Staging(at.staging, run.id), report).manifests()
    fingerprint = str(next(iter(manifests.values())).facts[FINGERPRINT])
    demand_same_input(fingerprint, inputs)
    tables = {name: _read(at.staging, manifest) for name, manifest in manifests.items()}
    files = ReportFiles(at.reports, report.name, run.id.task_key)
    with note_held(at.warehouse, run.id):
        files.discard_unpublished(run.period.key, published_files(at.warehouse, run.id))
    written = files.write(run, tables, tuple(report.exports))
    return Edition(
        tables=tables,
        fingerprint=fingerprint,
        sources={name: _facts(manifest) for name, manifest in inputs.manifests.items()},
        missing=inputs.missing,
        files=tuple(written),
        quarantined=_quarantined(at.staging, inputs),
        file_facts=written,
    )


def _facts(manifest: Manifest) -> dict[str, Any]:
    set_aside = {} if manifest.quarantine is None else {SET_ASIDE: manifest.quarantine.rows}
    return {"rows": manifest.rows, "attempt": manifest.attempt, **set_aside, **manifest.facts}


def _quarantined(bucket: Bucket, inputs: Inputs) -> dict[str, list[Refused]]:
    return {
        name: refused_from(verified_bytes(bucket, manifest.quarantine, clear=f"fetch_{name}"))
        for name, manifest in inputs.manifests.items()
        if manifest.quarantine is not None
    }


def _read(bucket: Bucket, manifest: Manifest) -> pa.Table:
    import pyarrow as pa

    parts = read_parts(bucket, manifest.parts, None, clear="compute")
    return pa.concat_tables([arrow_schema(manifest.schema).empty_table(), *parts])
