"""Compensation: everything of the run goes but what is committed, however often it runs (R16)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import psycopg
import pyarrow as pa
import pytest

from reporting.core.arrow import arrow_schema
from reporting.core.files import ReportFiles
from reporting.core.inputs import Inputs
from reporting.core.objects import Bucket
from reporting.core.result import PREFIX, Results, fingerprint_of
from reporting.core.run import Run
from reporting.core.saga import Places, compensate
from reporting.core.staging import Staging
from reporting.core.upload import CHUNK_BYTES, Upload
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.ledger import CLOSING_STEP, read_entries
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import Edition
from reporting.core.warehouse.runs import expired_runs, find_staged, register_staging
from reporting.definition.tables import Csv, Table
from reporting.errors import StagingGoneError
from tests.integration.breaking_client import BreakingClient
from tests.integration.expiring import expire
from tests.integration.sparing_client import Sparing
from tests.specimens import a_report, a_run, a_source, a_table

pytestmark = pytest.mark.integration

REPORT = a_report(tables=[a_table("totals"), a_table("details")])
ROWS = pa.Table.from_pylist([{"id": 1, "name": "a"}], arrow_schema(a_source().schema))


@pytest.fixture
def run(report_name: str) -> Run:
    return a_run(report_name, run_id="manual__2024-05-01T00:00:00+00:00")


def results() -> dict[str, pa.Table]:
    return {t.name: ROWS.cast(arrow_schema(t.schema)) for t in REPORT.tables}


def stage_all(places: Places, run: Run) -> None:
    """Do what a run does up to its pivot."""
    take_claim(places.warehouse, run)
    register_staging(places.warehouse, run, timedelta(days=1))
    staging = Staging(places.staging, run.id)
    with staging.attempt("orders", a_source().schema) as attempt:
        attempt.writer.write(ROWS)
        attempt.commit({})
    Results(staging, REPORT).persist(results(), "f")


@pytest.fixture
def failed(places: Places, run: Run) -> Iterator[Run]:
    """Leave everything that a run can leave when its processes are killed."""
    stage_all(places, run)
    files = ReportFiles(places.reports, run.id.report, run.id.task_key)
    files.write(run, results(), (Csv(),))
    with ExitStack() as killed:
        for bucket, key in (
            (places.staging, f"{run.id.prefix}orders/dead/part-00000.parquet"),
            (places.staging, f"{run.id.prefix}weather/dead/part-00000.parquet"),
            (places.reports, f"{run.id.report}/2024-05-01/{run.id.task_key}/dead/x.csv"),
        ):
            bucket.put(key.replace("part-00000", "part-done"), b"x")
            killed.enter_context(Upload(bucket, key)).write(bytes(CHUNK_BYTES))
        yield run


def left(bucket: Bucket, run: Run) -> list[str]:
    """Return all keys and open uploads of the report."""
    prefix = f"{run.id.report}/"
    uploads = bucket.client.list_multipart_uploads(Bucket=bucket.name, Prefix=prefix)
    return sorted([*bucket.keys(prefix), *(u["Key"] for u in uploads.get("Uploads", ()))])


def committed(places: Places, run: Run) -> list[str]:
    staging = Staging(places.staging, run.id)
    keys = []
    for source in ("orders", f"{PREFIX}totals", f"{PREFIX}details"):
        manifest = staging.manifest(source)
        assert manifest is not None
        keys += [staging.manifest_key(source), *(part.key for part in manifest.parts)]
    return sorted(keys)


def claims(places: Places) -> int:
    return len(places.warehouse.execute("SELECT 1 FROM reporting.claim").fetchall())


def test_nothing_of_a_failed_run_is_left_but_committed_staging(places: Places, failed: Run) -> None:
    entries = compensate(places, failed.id)

    assert [entry.step for entry in entries] == ["store", "request", "fetch", "init"]
    assert all(entry.is_done for entry in entries)
    assert left(places.reports, failed) == []
    assert left(places.staging, failed) == committed(places, failed)
    assert claims(places) == 0
    steps = [entry.step for entry in read_entries(places.warehouse, failed.id)]
    assert steps == ["store", "request", "fetch", "init", CLOSING_STEP]


def test_compensation_can_run_any_number_of_times(places: Places, failed: Run) -> None:
    compensate(places, failed.id)
    first = read_entries(places.warehouse, failed.id)

    assert all(entry.is_done for entry in compensate(places, failed.id))
    assert read_entries(places.warehouse, failed.id) == first
    assert left(places.staging, failed) == committed(places, failed)


def test_f11_a_failing_undo_stops_none_of_the_others_and_is_told(
    places: Places, failed: Run
) -> None:
    broken = BreakingClient(places.reports.client, at=1, after=False, dies=False)
    without_files = replace(places, reports=Bucket(broken, "reports"))  # type: ignore[arg-type]

    entries = {entry.step: entry for entry in compensate(without_files, failed.id)}

    assert not entries["store"].is_done
    assert entries["store"].outcome.startswith("failed: LostAnswerError")
    assert entries["fetch"].is_done
    assert entries["init"].is_done
    assert left(places.staging, failed) == committed(places, failed)
    steps = [entry.step for entry in read_entries(places.warehouse, failed.id)]
    assert CLOSING_STEP not in steps
    assert all(entry.is_done for entry in compensate(places, failed.id))
    assert read_entries(places.warehouse, failed.id)[-1].step == CLOSING_STEP
    assert left(places.reports, failed) == []


def test_a_source_whose_parts_cannot_be_removed_keeps_no_other_ones(
    places: Places, failed: Run
) -> None:
    stuck = f"{failed.id.prefix}orders/dead/part-done.parquet"
    client: Any = Sparing(places.staging.client, {stuck: "AccessDenied"})

    entries = compensate(replace(places, staging=Bucket(client, "staging")), failed.id)

    (undone,) = [entry for entry in entries if not entry.is_done]
    assert undone.step == "fetch"
    assert f"{stuck} (AccessDenied)" in undone.outcome
    assert left(places.staging, failed) == sorted([*committed(places, failed), stuck])


def test_a_run_that_never_got_past_its_start_gives_up_its_claim(places: Places, run: Run) -> None:
    take_claim(places.warehouse, run)

    entries = compensate(places, run.id)

    free = "the period is free for another run"
    assert [(e.step, e.outcome) for e in entries] == [("init", free)]
    assert claims(places) == 0


def test_other_runs_are_left_alone(places: Places, failed: Run, run: Run) -> None:
    other = replace(run, id=replace(run.id, run_id=f"{run.id.run_id}0"), params={"a": 1})
    stage_all(places, other)
    before = committed(places, other)

    compensate(places, failed.id)
    expire(places, failed.id)

    assert left(places.staging, failed) == before
    assert claims(places) == 1
    assert find_staged(places.warehouse, other.id) is not None


def test_published_files_stay_and_unpublished_ones_go(places: Places, run: Run) -> None:
    report = replace(REPORT, name=run.id.report)
    stage_all(places, run)
    files = ReportFiles(places.reports, run.id.report, run.id.task_key)
    stray = files.write(run, results(), (Csv(),))
    published = files.write(run, results(), (Csv(),))
    publish(places.warehouse, report, run, Edition(results(), "f", {}, {}, tuple(published)))

    compensate(places, run.id)
    expire(places, run.id)

    assert left(places.reports, run) == sorted(published)
    assert not set(stray) & set(published)


def test_what_is_past_its_time_goes_with_all_that_came_late(places: Places, failed: Run) -> None:
    """Invariant 5: after compensation and keep_staging nothing is left."""
    compensate(places, failed.id)
    assert expired_runs(places.warehouse) == []
    places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")
    ReportFiles(places.reports, failed.id.report, failed.id.task_key).write(
        failed, results(), (Csv(),)
    )  # a process thought dead has come back
    assert [staged.run_id for staged in expired_runs(places.warehouse)] == [failed.id.run_id]

    assert (expire(places, failed.id) or 0) > 0

    assert left(places.staging, failed) == left(places.reports, failed) == []
    assert find_staged(places.warehouse, failed.id) is None
    assert expire(places, failed.id) is None


def test_a_run_that_was_cleared_and_works_again_is_not_expired(places: Places, run: Run) -> None:
    stage_all(places, run)
    compensate(places, run.id)
    places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")

    take_claim(places.warehouse, run)

    assert expired_runs(places.warehouse) == []


def test_f13_a_step_cleared_after_its_inputs_are_gone_names_what_to_clear(
    places: Places, run: Run
) -> None:
    stage_all(places, run)
    found = Results(Staging(places.staging, run.id), REPORT)
    assert set(found.manifests()) == {"totals", "details"}

    compensate(places, run.id)
    expire(places, run.id)

    with pytest.raises(StagingGoneError, match=r"totals, details are not staged.*clear compute"):
        found.manifests()


def test_a_result_is_reused_only_when_it_is_of_the_same_input_and_whole(
    places: Places, run: Run
) -> None:
    """R10: else a result whose part is gone would be reused, and fail in store, for ever."""
    stage_all(places, run)
    staging = Staging(places.staging, run.id)
    found = Results(staging, REPORT)
    assert found.reusable("f") == found.manifests()
    assert found.reusable("g") is None

    places.staging.delete([found.manifests()["details"].parts[0].key])
    assert found.reusable("f") is None
    found.persist(results(), "f")
    assert found.reusable("f") is not None
    places.staging.put(found.manifests()["details"].parts[0].key, b"other")
    assert found.reusable("f") is None
    places.staging.put(staging.manifest_key(f"{PREFIX}totals"), b"{")
    assert found.reusable("f") is None


def test_tables_of_two_computations_are_never_published_together(places: Places, run: Run) -> None:
    """Compute was killed between its tables, and then only store was cleared."""
    stage_all(places, run)
    staging = Staging(places.staging, run.id)
    only_one = replace(REPORT, tables=[REPORT.table("totals")])
    Results(staging, only_one).persist({"totals": results()["totals"]}, "g")

    with pytest.raises(StagingGoneError, match=r"different computations.*clear compute"):
        Results(staging, REPORT).manifests()


WIDER = Table("totals", ["id"], {"id": "int64", "name": "text", "more": "date"})
TURNED = Table("totals", ["id"], {"name": "text", "id": "int64"})
OTHER_KEY = a_table(key=["id", "name"])
CHANGED_RUN: dict[str, Callable[[Run], Run]] = {
    "param": lambda run: replace(run, params={"a": 1}),
    "day": lambda run: a_run(run.id.report, day=date(2024, 5, 2)),
    "zone": lambda run: replace(run, period=replace(run.period, timezone="UTC")),
}


@pytest.fixture
def inputs(places: Places, run: Run) -> Inputs:
    stage_all(places, run)
    manifest = Staging(places.staging, run.id).manifest("orders")
    assert manifest is not None
    return Inputs(run, places.staging, {"orders": manifest}, {"orders": a_source().schema})


@pytest.mark.parametrize("change", CHANGED_RUN.values(), ids=CHANGED_RUN)
def test_a_result_depends_on_the_request(inputs: Inputs, change: Callable[[Run], Run]) -> None:
    other = replace(inputs, run=change(inputs.run))

    assert fingerprint_of(other, REPORT, "code") != fingerprint_of(inputs, REPORT, "code")


@pytest.mark.parametrize("table", [WIDER, TURNED, OTHER_KEY], ids=["columns", "order", "key"])
def test_a_result_depends_on_the_shape_of_its_tables(inputs: Inputs, table: Table) -> None:
    other = replace(REPORT, tables=[table, REPORT.table("details")])

    assert fingerprint_of(inputs, other, "code") != fingerprint_of(inputs, REPORT, "code")


def test_a_result_depends_on_data_and_code_and_not_on_who_fetched_when(inputs: Inputs) -> None:
    """R10."""
    manifest = inputs.manifests["orders"]
    again = replace(manifest, attempt="later", committed_at="later")
    part = replace(manifest.parts[0], sha256="other")
    fingerprint = fingerprint_of(inputs, REPORT, "code")

    same = replace(inputs, manifests={"orders": again})
    assert fingerprint_of(same, REPORT, "code") == fingerprint
    assert fingerprint_of(inputs, REPORT, "other") != fingerprint
    for other in (
        replace(inputs, manifests={"orders": replace(manifest, parts=(part,))}),
        replace(inputs, missing={"weather": "down"}),
    ):
        assert fingerprint_of(other, REPORT, "code") != fingerprint


def test_a_dead_database_is_an_error_and_not_a_clean_up(places: Places, run: Run) -> None:
    places.warehouse.close()

    with pytest.raises(psycopg.OperationalError):
        compensate(places, run.id)
