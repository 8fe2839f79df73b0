"""Fetching one object from a real store."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reporting import CsvBody, JsonBody, Marker, NdjsonBody, ParquetBody
from reporting.core.staging import Staging
from reporting.definition.bodies import Body
from reporting.errors import ContractError, TransientError
from tests.integration.drop_fetching import fetched, looked, rows_of
from tests.specimens import an_s3_source

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("key", ["{name}/{period}.csv", "{name}/a+b c/é%20{period}.csv"])
def test_f88_the_object_of_the_period_is_read(
    staging: Staging, s3: S3Client, report_name: str, key: str
) -> None:
    key = key.replace("{name}", report_name)
    stored = key.replace("{period}", "2024-05-01")
    put = s3.put_object(Bucket="landing", Key=stored, Body=b'id,name\n1,\n2,""\n3,NULL\n')

    manifest = fetched(staging, an_s3_source(key=key), s3)

    assert rows_of(staging, manifest)["name"].to_pylist() == [None, "", "NULL"]
    read = {"key": stored, "version": None, "etag": put["ETag"], "bytes": 23}
    facts = manifest.facts
    assert (facts["bucket"], facts["objects"], facts["bytes"]) == ("landing", 1, 23)
    assert facts["read"] == [read]


def parquet(rows: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(rows, sink, row_group_size=1)
    return sink.getvalue()


ROWS = pa.table({"id": [1, 2], "name": ["a", None]})
BODIES: list[tuple[Body, bytes]] = [
    (CsvBody(), b"id,name\n1,a\n2,\n"),
    (NdjsonBody(), b'{"id": 1, "name": "a"}\n{"id": 2}\n'),
    (JsonBody("rows"), b'{"rows": [{"id": 1, "name": "a"}, {"id": 2, "name": null}]} \n'),
    (ParquetBody(), parquet(ROWS)),
]


@pytest.mark.parametrize(("body", "stored"), BODIES, ids=[type(b).__name__ for b, _ in BODIES])
def test_every_body_is_read(
    staging: Staging, s3: S3Client, report_name: str, body: Body, stored: bytes
) -> None:
    s3.put_object(Bucket="landing", Key=report_name, Body=stored)

    manifest = fetched(staging, an_s3_source(key=report_name, body=body), s3)

    assert rows_of(staging, manifest).to_pylist() == ROWS.to_pylist()


@pytest.mark.parametrize("kept", [64 * 1024, -100])
def test_f17_a_parquet_file_that_is_there_in_part_is_no_drop(
    staging: Staging, s3: S3Client, report_name: str, kept: int
) -> None:
    whole = parquet(
        pa.table({"id": list(range(200_000)), "name": [str(n) for n in range(200_000)]})
    )
    assert len(whole) > 1024 * 1024
    s3.put_object(Bucket="landing", Key=report_name, Body=whole[:kept])

    with pytest.raises(ContractError, match=rf"landing/{report_name}: no readable Parquet"):
        fetched(staging, an_s3_source(key=report_name, body=ParquetBody()), s3)
    assert list(staging.bucket.keys(staging.run.prefix)) == []


def test_what_is_missing_is_named(s3: S3Client, report_name: str) -> None:
    key, marker = f"{report_name}.csv", f"{report_name}.done"
    source = an_s3_source(key=key, complete=Marker(f"{report_name}.done"))

    assert looked(an_s3_source(key=key), s3).lacks == f"object landing/{key} does not exist (yet)"
    assert looked(source, s3).lacks == f"marker landing/{marker} does not exist (yet)"
    s3.put_object(Bucket="landing", Key=marker)
    assert looked(source, s3).lacks.startswith(f"object landing/{key} does not exist, although")
    s3.put_object(Bucket="landing", Key=key, Body=b"id,name\n")
    s3.put_object(Bucket="landing", Key=marker)
    assert looked(source, s3).lacks == ""


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
        fetched(staging, an_s3_source(key=report_name), s3)
    for word in words:
        assert word in str(fault.value)
    assert list(staging.bucket.keys(staging.run.prefix)) == []


BODY = b"id,name\n1,a\n"


class Breaking(io.BytesIO):
    """A body that breaks off with an error, if there is one, or just ends."""

    def __init__(self, body: bytes, error: Exception | None) -> None:
        super().__init__(body)
        self._error = error

    def read(self, size: int | None = -1) -> bytes:
        piece = super().read(size)
        if self._error is not None and not piece:
            raise self._error
        return piece


class Cut:
    """A store that announces more than it sends."""

    def __init__(self, error: Exception | None) -> None:
        self._body = Breaking(BODY, error)

    def head_object(self, **_: Any) -> dict[str, Any]:
        at = datetime(2024, 5, 1, tzinfo=UTC)
        return {"ContentLength": len(BODY) + 100, "ETag": '"x"', "LastModified": at}

    def get_object(self, **_: Any) -> dict[str, Any]:
        return {"Body": self._body}


@pytest.mark.parametrize(
    ("error", "words"), [(None, "112 are due"), (ConnectionResetError(), "ConnectionResetError")]
)
def test_f49_a_body_that_ends_early_on_a_row_border_is_noticed(
    staging: Staging, error: Exception | None, words: str
) -> None:
    """What came is a valid CSV; only the announced length tells."""
    with pytest.raises(
        TransientError, match=f"object landing/x was cut off after 12 bytes .{words}"
    ):
        fetched(staging, an_s3_source(key="x"), Cut(error))
    assert staging.manifest("orders") is None
