"""Fetching one CSV object from a real store."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from reporting.core.fetch.s3 import fetch_s3
from reporting.core.inputs import read_part
from reporting.core.staging import Staging
from reporting.errors import ContractError, IntegrityError, TransientError
from tests.specimens import a_run, an_s3_source

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration


def fetch(staging: Staging, client: Any, key: str) -> pa.Table:
    source = an_s3_source(key=key)
    with staging.attempt("orders", source.schema) as attempt:
        facts = fetch_s3(source, client, a_run(), attempt)
        manifest = attempt.commit(facts)
    return pa.concat_tables(
        read_part(staging.bucket, part, None, "fetch") for part in manifest.parts
    )


@pytest.mark.parametrize("key", ["{name}/{period}.csv", "{name}/a+b c/é%20{period}.csv"])
def test_f88_the_object_of_the_period_is_read(
    staging: Staging, s3: S3Client, report_name: str, key: str
) -> None:
    key = key.replace("{name}", report_name)
    stored = key.replace("{period}", "2024-05-01")
    s3.put_object(Bucket="landing", Key=stored, Body=b'id,name\n1,\n2,""\n3,NULL\n')

    assert fetch(staging, s3, key)["name"].to_pylist() == [None, "", "NULL"]
    manifest = staging.manifest("orders")
    assert manifest is not None
    assert (manifest.facts["key"], manifest.facts["bytes"]) == (stored, 23)


def test_a_missing_object_may_still_come(staging: Staging, s3: S3Client, report_name: str) -> None:
    with pytest.raises(TransientError, match=rf"'orders': object landing/{report_name}\.csv does"):
        fetch(staging, s3, f"{report_name}.csv")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"id,name\nx,a\n", ["'orders'", "landing/", "'x'"]),
        (b"id\n1\n", ["missing: name"]),
        (b"", ["'orders'", "mpty"]),
        (b"id,name\n,a\n", ["'orders'", "row 1, column 'id': NULL; allowed: int64 not null."]),
        (b"id,name\n1,a\n\n2,b,c\n", ["'orders'", "row 2, column '': 3 fields; allowed: 2"]),
        (b'id,name\n1,"a\n2,b\n', ["landing/", "quotes are opened and not closed"]),
        ("id,näme\n".encode("latin-1"), ["landing/", "the heading is no UTF-8"]),
    ],
)
def test_rows_of_another_shape_are_named(
    staging: Staging, s3: S3Client, report_name: str, body: bytes, words: list[str]
) -> None:
    s3.put_object(Bucket="landing", Key=report_name, Body=body)

    with pytest.raises(ContractError) as fault:
        fetch(staging, s3, report_name)
    for word in words:
        assert word in str(fault.value)
    assert list(staging.bucket.keys(staging.run.prefix)) == []


def test_a_body_that_ends_early_on_a_row_border_is_noticed(staging: Staging) -> None:
    """F49: what came is a valid CSV; only the announced length tells."""
    body = b"id,name\n1,a\n"

    class Cut:
        def get_object(self, **_: Any) -> dict[str, Any]:
            return {"Body": io.BytesIO(body), "ContentLength": len(body) + 100, "ETag": '"x"'}

    with pytest.raises(IntegrityError, match=r"'orders': object landing/x was cut off after 12"):
        fetch(staging, Cut(), "x")
    assert staging.manifest("orders") is None
