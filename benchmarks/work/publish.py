"""Ours: a staged result to the warehouse, verified on the way, as the task `store` does it."""

from __future__ import annotations

import pyarrow as pa

from benchmarks.work.specimen import a_report, a_run
from reporting.airflow_edge.connections import staging_bucket, warehouse
from reporting.core.inputs import read_part
from reporting.core.result import Results
from reporting.core.staging import Staging
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import Edition
from reporting.core.warehouse.schema import ensure_schema


def work(staged: str, report: str) -> dict[str, int]:
    """Publish the result staged by one report under the name of another, which has no table yet."""
    made, run = a_report(report), a_run(report)
    bucket = staging_bucket()
    with warehouse() as connection:
        ensure_schema(connection)
        take_claim(connection, run)
        manifests = Results(Staging(bucket, a_run(staged).id), made).manifests()
        tables = {
            name: pa.concat_tables(
                [read_part(bucket, part, None, clear="compute") for part in manifest.parts]
            )
            for name, manifest in manifests.items()
        }
        release = publish(connection, made, run, Edition(tables, "benchmark", {}, {}, ()))
    return dict(release.row_counts)
