"""The commit protocol of staging against a real store (R5, §4 of the design)."""

from __future__ import annotations

from threading import Barrier, Event, Thread
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from reporting.core.inputs import Inputs
from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.staging import Staging
from reporting.definition.columns import columns_from
from reporting.errors import ContractError, IntegrityError, StagingGoneError, TransientError
from tests.integration.breaking_client import BreakingClient, CrashedError, LostAnswerError
from tests.integration.staged_tables import (
    COLUMNS,
    LARGE,
    batch,
    left,
    noise,
    only_part,
    read,
    stage,
)
from tests.specimens import a_run

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration


def test_what_was_staged_is_read_back(staging: Staging) -> None:
    stage(staging, batch(range(5), "a"))

    assert read(staging).to_pydict() == {"id": list(range(5)), "name": ["a"] * 5}


def test_nothing_is_committed_before_the_manifest(staging: Staging) -> None:
    with staging.attempt("orders", COLUMNS) as attempt:
        attempt.writer.write(batch(range(5), "a"))
        attempt.writer.close()
        assert staging.manifest("orders") is None
        attempt.commit({})
    assert staging.manifest("orders") is not None


def test_an_empty_source_keeps_its_schema(staging: Staging) -> None:
    with staging.attempt("orders", COLUMNS) as attempt:
        attempt.commit({})

    table = read(staging)

    assert (table.num_rows, table.schema.names) == (0, ["id", "name"])
    assert table.schema.field("name").type == pa.string()


def test_a_second_attempt_replaces_the_first_whole(staging: Staging) -> None:
    stage(staging, batch(range(5), "a"))
    stage(staging, batch(range(3), "b"))

    assert read(staging)["name"].to_pylist() == ["b"] * 3
    assert len(left(staging.bucket, staging.run.prefix)) == 2  # one part, one manifest


def test_a_failed_attempt_leaves_the_one_before_it(staging: Staging) -> None:
    stage(staging, batch(range(5), "a"))

    with pytest.raises(ContractError, match=r"orders.*missing: name"):
        stage(staging, pa.table({"id": [1]}))

    assert read(staging)["name"].to_pylist() == ["a"] * 5
    assert len(left(staging.bucket, staging.run.prefix)) == 2


def test_the_first_error_is_not_hidden_by_a_failing_clean_up(
    staging: Staging, s3: S3Client
) -> None:
    """A contract that is broken must not look like a store that is down, which is retried."""
    broken = BreakingClient(s3, at=10**6, after=False)
    broken.delete_objects = _refuse  # type: ignore[attr-defined]
    staging = Staging(Bucket(broken, staging.bucket.name), staging.run)  # type: ignore[arg-type]

    def stage_what_breaks_the_contract() -> None:
        with staging.attempt("orders", COLUMNS) as attempt:
            attempt.writer.write(batch(range(5), "a"))
            attempt.writer.close()
            raise ContractError("no such column")

    with pytest.raises(ContractError, match="no such column"):
        stage_what_breaks_the_contract()


def _refuse(**_: Any) -> None:
    raise TransientError("the store is down")


def test_a_commit_stands_although_the_old_parts_cannot_be_removed(
    staging: Staging, s3: S3Client
) -> None:
    """The new manifest is in force: its parts must not go with the attempt's clean-up."""
    stage(staging, batch(range(5), "a"))
    broken = BreakingClient(s3, at=10**6, after=False)
    broken.delete_objects = _refuse  # type: ignore[attr-defined]

    stage(
        Staging(Bucket(broken, staging.bucket.name), staging.run),  # type: ignore[arg-type]
        batch(range(3), "b"),
    )

    assert read(staging)["name"].to_pylist() == ["b"] * 3
    assert staging.discard_uncommitted("orders") == 1
    assert read(staging)["name"].to_pylist() == ["b"] * 3


@pytest.mark.parametrize("dies", [False, True], ids=["error", "death"])
@pytest.mark.parametrize("after", [False, True], ids=["before the store", "after the store"])
@pytest.mark.parametrize("has_before", [False, True], ids=["first", "second"])
def test_f1_a_crash_at_any_call_leaves_old_or_new_and_nothing_behind(
    staging: Staging, s3: S3Client, *, dies: bool, after: bool, has_before: bool
) -> None:
    """Die at the n-th call to the store, for every n; then read, clean up, and look again."""
    table = noise(LARGE)
    crashes = 0
    for at in range(1, 100):
        if has_before:
            stage(staging, batch(range(5), "a"))
        dying = BreakingClient(s3, at, after=after, dies=dies)
        try:
            stage(Staging(Bucket(dying, staging.bucket.name), staging.run), table)  # type: ignore[arg-type]
        except (CrashedError, LostAnswerError):
            crashes += 1
        _old_or_new(staging, table, has_before=has_before)
        for source in staging.sources():
            staging.discard_uncommitted(source)
        _old_or_new(staging, table, has_before=has_before)
        staging.discard()
        assert left(staging.bucket, staging.run.prefix) == []
        if len(dying.calls) < at:
            break
    assert {"create_multipart_upload", "upload_part", "complete_multipart_upload", "put_object"} < (
        set(dying.calls)
    )
    assert crashes > len(dying.calls) // 2


def _old_or_new(staging: Staging, new: pa.Table, *, has_before: bool) -> None:
    manifest = staging.manifest("orders")
    if manifest is None:
        assert not has_before
        return
    names = read(staging)["name"].to_pylist()
    assert names in (["a"] * 5, new["name"].to_pylist())


def test_two_attempts_at_once_one_wins_whole(staging: Staging) -> None:
    """F1, F26: readers see one attempt or the other, or are told that it is gone; never a mix."""
    stage(staging, batch(range(50), "start"))
    barrier, done, seen = Barrier(3), Event(), set()

    def write(mark: str, rows: int) -> None:
        barrier.wait()
        for _ in range(10):
            stage(staging, batch(range(rows), mark))

    def look() -> None:
        barrier.wait()
        while not done.is_set():
            try:
                names = read(staging)["name"].to_pylist()
            except StagingGoneError:
                continue  # it was replaced between manifest and part; a new look will do
            seen.add((names[0], len(names), len(set(names))))

    threads = [Thread(target=write, args=("a", 70)), Thread(target=write, args=("b", 90))]
    reader = Thread(target=look)
    for thread in (*threads, reader):
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    reader.join()

    assert seen <= {("start", 50, 1), ("a", 70, 1), ("b", 90, 1)}
    assert len(seen) >= 2
    winner = set(read(staging)["name"].to_pylist())
    assert winner in ({"a"}, {"b"})
    staging.discard_uncommitted("orders")
    assert set(read(staging)["name"].to_pylist()) == winner


def test_f17_a_truncated_object_is_named_and_never_read(staging: Staging) -> None:
    stage(staging, noise(1024 * 1024))
    part = only_part(staging)
    body = staging.bucket.get(part.key) or b""
    staging.bucket.put(part.key, body[: 64 * 1024])

    with pytest.raises(IntegrityError, match=rf"{part.key}.*65536 bytes.*Clear fetch") as fault:
        read(staging)
    assert str(part.bytes) in str(fault.value)


def test_f17_an_object_replaced_by_a_valid_one_between_reads_is_named(staging: Staging) -> None:
    stage(staging, batch(range(5), "a"))
    run = a_run(staging.run.report)
    manifest = staging.manifest("orders")
    assert manifest is not None
    inputs = Inputs(run, staging.bucket, {"orders": manifest}, {"orders": COLUMNS})
    assert inputs.table("orders").num_rows == 5
    other = Staging(staging.bucket, RunId(staging.run.report, "other"))
    stage(other, batch(range(5), "z"))
    staging.bucket.put(only_part(staging).key, staging.bucket.get(only_part(other).key) or b"")

    with pytest.raises(IntegrityError, match=only_part(staging).key):
        inputs.frame("orders")


def test_f13_a_part_that_is_gone_names_the_task_to_clear(staging: Staging) -> None:
    stage(staging, batch(range(5), "a"))
    staging.bucket.delete([only_part(staging).key])

    with pytest.raises(StagingGoneError, match=r"gone; clear fetch with its downstream"):
        read(staging)


def test_inputs_refuse_what_is_not_declared_or_was_staged_otherwise(staging: Staging) -> None:
    stage(staging, batch(range(5), "a"))
    manifest = staging.manifest("orders")
    assert manifest is not None
    run = a_run(staging.run.report)
    inputs = Inputs(run, staging.bucket, {"orders": manifest}, {"orders": COLUMNS})

    assert inputs.table("orders", ["name"]).schema.names == ["name"]
    with pytest.raises(Exception, match=r"no column 'nme'; allowed: id, name. Did you mean 'name'"):
        inputs.table("orders", ["nme"])
    with pytest.raises(Exception, match=r"'order' is not declared.*Did you mean 'orders'"):
        inputs.table("order")
    changed = columns_from("x", {"id": "int64 not null", "name": "text", "new": "date"})
    with pytest.raises(StagingGoneError, match=r"other columns.*clear fetch_orders"):
        Inputs(run, staging.bucket, {"orders": manifest}, {"orders": changed}).frame("orders")


def test_a_missing_optional_source_is_empty_with_its_columns(staging: Staging) -> None:
    inputs = Inputs(
        a_run(), staging.bucket, {}, {"orders": COLUMNS}, {"orders": "its fetch failed"}
    )

    assert inputs.frame("orders").columns.tolist() == ["id", "name"]
    assert inputs.table("orders", ["name"]).num_rows == 0
