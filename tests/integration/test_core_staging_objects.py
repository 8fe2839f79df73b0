"""Objects of any size, name and number are written whole and removed whole."""

from __future__ import annotations

import hashlib
import random
from threading import Thread
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from reporting.core.objects import Bucket
from reporting.core.run import RunId
from reporting.core.staging import Staging
from reporting.core.upload import CHUNK_BYTES, Upload
from reporting.errors import IntegrityError, TransientError
from tests.integration.breaking_client import BreakingClient
from tests.integration.staged_tables import COLUMNS, batch, left, only_part, read, stage

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("size", [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 2 * CHUNK_BYTES + 1])
def test_an_upload_of_any_number_of_pieces_is_whole(
    staging_bucket: Bucket, report_name: str, size: int
) -> None:
    body, key = random.Random(size).randbytes(size), f"{report_name}/x"  # noqa: S311
    with Upload(staging_bucket, key) as upload:
        for start in range(0, size, 3_000_000):
            upload.write(body[start : start + 3_000_000])
        assert staging_bucket.get(key) is None
        upload.commit()

    stored = staging_bucket.get(key) or b""
    assert len(stored) == upload.bytes_written == size
    assert upload.sha256 == hashlib.sha256(stored).hexdigest() == hashlib.sha256(body).hexdigest()


def test_an_upload_that_is_left_leaves_nothing_and_takes_nothing_more(
    staging_bucket: Bucket, report_name: str
) -> None:
    with Upload(staging_bucket, f"{report_name}/x") as upload:
        upload.write(bytes(CHUNK_BYTES))
        assert left(staging_bucket, report_name) == [f"{report_name}/x"]

    assert left(staging_bucket, report_name) == []
    with pytest.raises(ValueError, match="closed"):
        upload.write(b"late")


def test_small_batches_make_few_row_groups(staging: Staging) -> None:
    import pyarrow.parquet as pq

    with staging.attempt("orders", COLUMNS) as attempt:
        for start in range(0, 2000, 10):
            attempt.writer.write(batch(range(start, start + 10), "a"))
        attempt.commit({})

    body = staging.bucket.get(only_part(staging).key) or b""
    assert pq.ParquetFile(pa.BufferReader(body)).num_row_groups == 1
    assert read(staging)["id"].to_pylist() == list(range(2000))


def test_f58_a_discard_of_1500_objects_leaves_none(staging: Staging) -> None:
    def put(numbers: range) -> None:
        for number in numbers:
            staging.bucket.put(f"{staging.prefix('orders')}a/{number}", b"x")

    threads = [Thread(target=put, args=(range(n * 150, (n + 1) * 150),)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert staging.discard() == 1500
    assert left(staging.bucket, staging.run.prefix) == []


def test_f58_keys_the_store_refuses_are_named_and_the_others_are_gone(
    staging_bucket: Bucket, s3: S3Client, report_name: str
) -> None:
    keys = [f"{report_name}/{name}" for name in "abc"]
    for key in keys:
        staging_bucket.put(key, b"x")

    class Refusing(BreakingClient):
        def delete_objects(self, **wanted: Any) -> Any:
            objects = wanted["Delete"]["Objects"]
            spared = [o["Key"] for o in objects if o["Key"].endswith("b")]
            wanted["Delete"]["Objects"] = [o for o in objects if o["Key"] not in spared]
            s3.delete_objects(**wanted)
            return {"Errors": [{"Key": key, "Code": "SlowDown"} for key in spared]}

    refusing = Refusing(s3, 10**6, after=False)
    with pytest.raises(TransientError, match=rf"1 of 3 .*{report_name}/b \(SlowDown\)"):
        Bucket(refusing, "staging").delete(keys)  # type: ignore[arg-type]
    assert left(staging_bucket, report_name) == [f"{report_name}/b"]


def test_the_discard_of_run_1_spares_run_10(staging_bucket: Bucket, report_name: str) -> None:
    one, ten = (Staging(staging_bucket, RunId(report_name, name)) for name in ("run_1", "run_10"))
    for staging in (one, ten):
        stage(staging, batch(range(5), "a"))
    with Upload(staging_bucket, ten.prefix("orders") + "open") as upload:
        upload.write(bytes(CHUNK_BYTES))

        one.discard()

        assert left(staging_bucket, one.run.prefix) == []
        assert len(left(staging_bucket, ten.run.prefix)) == 3
        assert read(ten).num_rows == 5


@pytest.mark.parametrize("run_id", ["a+b c/é%20", "../../x", "~" * 250, "manual__2024:00+00"])
def test_f88_a_run_of_any_id_is_written_read_listed_and_deleted(
    staging_bucket: Bucket, report_name: str, run_id: str
) -> None:
    staging = Staging(staging_bucket, RunId(report_name, run_id))

    stage(staging, batch(range(5), "a"))

    assert read(staging).num_rows == 5
    assert staging.sources() == ["orders"]
    assert staging.discard() == 2


def test_a_manifest_that_cannot_be_read_names_nothing(staging: Staging) -> None:
    """Else the compensation of its run could never end."""
    stage(staging, batch(range(5), "a"))
    staging.bucket.put(staging.manifest_key("orders"), b"{")

    with pytest.raises(IntegrityError, match=r"manifest\.json' is no manifest"):
        staging.manifest("orders")
    assert staging.discard_uncommitted("orders") == 2
    assert left(staging.bucket, staging.run.prefix) == []


def test_f19_a_manifest_of_5000_parts_lies_in_the_store(staging: Staging) -> None:
    from dataclasses import replace

    stage(staging, batch(range(5), "a"))
    manifest = staging.manifest("orders")
    assert manifest is not None
    many = replace(manifest, attempt="many", parts=manifest.parts * 5000)

    staging.commit(many)

    assert staging.manifest("orders") == many
