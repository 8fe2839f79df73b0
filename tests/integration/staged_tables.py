"""Stages small tables, and looks at what is left."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pyarrow as pa
import pytest

from reporting.core.inputs import read_part
from reporting.core.manifest import Part
from reporting.core.objects import Bucket
from reporting.core.staging import Staging
from reporting.core.upload import CHUNK_BYTES
from reporting.definition.columns import columns_from

pytestmark = pytest.mark.integration

COLUMNS = columns_from("x", {"id": "int64 not null", "name": "text"})
LARGE = CHUNK_BYTES + CHUNK_BYTES // 2


def batch(ids: Iterable[int], mark: str) -> pa.Table:
    listed = list(ids)
    return pa.table({"id": listed, "name": [mark] * len(listed)})


def noise(size: int) -> pa.Table:
    """Return text that does not compress, so that an upload of several pieces is needed."""
    made = random.Random(1)  # noqa: S311 - only to be incompressible
    half = size // 20
    return pa.table({"id": range(20), "name": [made.randbytes(half).hex() for _ in range(20)]})


def stage(staging: Staging, table: pa.Table, source: str = "orders") -> None:
    with staging.attempt(source, COLUMNS) as attempt:
        attempt.writer.write(table)
        attempt.commit({})


def read(staging: Staging, source: str = "orders") -> pa.Table:
    manifest = staging.manifest(source)
    assert manifest is not None
    parts = [read_part(staging.bucket, part, None, "fetch") for part in manifest.parts]
    table = pa.concat_tables(parts)
    assert table.num_rows == manifest.rows
    return table


def left(bucket: Bucket, prefix: str) -> list[str]:
    """Return what lies under a prefix: objects and open uploads."""
    uploads = bucket.client.list_multipart_uploads(Bucket=bucket.name, Prefix=prefix)
    return [*bucket.keys(prefix), *(upload["Key"] for upload in uploads.get("Uploads", ()))]


def only_part(staging: Staging) -> Part:
    manifest = staging.manifest("orders")
    assert manifest is not None
    return manifest.parts[0]
