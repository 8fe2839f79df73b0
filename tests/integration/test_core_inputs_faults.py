"""No byte of an input is used that its manifest does not vouch for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from reporting.core import download, inputs
from reporting.core.manifest import Manifest
from reporting.core.objects import Bucket
from reporting.core.staging import Staging
from reporting.errors import IntegrityError, StagingGoneError
from tests.integration.breaking_client import LostAnswerError
from tests.integration.running_threads import running
from tests.integration.staged_parts import (
    WatchingClient,
    inputs_of,
    number_of,
    stage_parts,
)
from tests.integration.striking import StruckError

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration

BROKEN = 2


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    assert running("made-ahead") + running("read-ahead") == []


@pytest.fixture
def manifest(staging: Staging, monkeypatch: pytest.MonkeyPatch) -> Manifest:
    """Return five parts of several ranges each."""
    manifest = stage_parts(staging)
    monkeypatch.setattr(download, "RANGE_BYTES", manifest.parts[0].bytes // 4)
    return manifest


def changed(body: bytes, how: str) -> bytes:
    return {
        "cut": body[: len(body) // 2],
        "empty": b"",
        "longer": body + b"x",
        "other bytes": body[:-1] + bytes([body[-1] ^ 1]),
    }[how]


@pytest.mark.parametrize("how", ["cut", "empty", "longer", "other bytes"])
def test_f17_a_part_that_differs_is_named_and_those_before_it_are_read(
    s3: S3Client, staging_bucket: Bucket, manifest: Manifest, how: str
) -> None:
    part = manifest.parts[BROKEN]
    body = changed(staging_bucket.get(part.key) or b"", how)
    staging_bucket.put(part.key, body)
    read: list[int] = []

    with pytest.raises(IntegrityError, match=part.key) as fault:
        read += map(number_of, inputs_of(manifest, s3).batches("orders"))

    assert f"has {len(body)} bytes" in str(fault.value)
    assert f"the manifest says {part.bytes} bytes" in str(fault.value)
    assert str(fault.value).endswith("Clear fetch_orders with its downstream.")
    assert read == list(range(BROKEN))


@pytest.mark.parametrize("how", ["longer", "other bytes"])
def test_f17_a_part_that_is_replaced_between_its_ranges_is_never_mixed(
    s3: S3Client, staging_bucket: Bucket, manifest: Manifest, how: str
) -> None:
    part, watched = manifest.parts[0], WatchingClient(s3)
    other = changed(staging_bucket.get(part.key) or b"", how)
    watched.before = lambda count: staging_bucket.put(part.key, other) if count else None

    with pytest.raises(IntegrityError, match=part.key):
        inputs_of(manifest, watched).table("orders")


def test_f13_a_part_that_is_gone_is_named_and_those_before_it_are_read(
    s3: S3Client, staging_bucket: Bucket, manifest: Manifest
) -> None:
    part = manifest.parts[BROKEN]
    staging_bucket.delete([part.key])
    read: list[int] = []

    with pytest.raises(StagingGoneError, match=rf"{part.key}.*gone; clear fetch_orders"):
        read += map(number_of, inputs_of(manifest, s3).batches("orders"))

    assert read == list(range(BROKEN))


@pytest.mark.parametrize("at", [0, 3, 12])
def test_an_error_of_the_store_comes_as_it_is(s3: S3Client, manifest: Manifest, at: int) -> None:
    watched = WatchingClient(s3)

    def break_off(count: int) -> None:
        if count >= at:
            raise LostAnswerError(str(at))

    watched.before = break_off

    with pytest.raises(LostAnswerError, match=str(at)):
        inputs_of(manifest, watched).table("orders")
    assert len(watched.keys) < at + download.RANGES_AT_ONCE


def test_an_error_of_whoever_reads_ends_the_threads(
    s3: S3Client, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = inputs_of(manifest, s3)

    def strike(*_: object) -> None:
        raise StruckError

    def read() -> None:
        for _ in given.batches("orders"):
            strike()

    with pytest.raises(StruckError):
        read()
    assert running("made-ahead") + running("read-ahead") == []

    monkeypatch.setattr(inputs, "_decoded", strike)
    with pytest.raises(StruckError):
        given.frame("orders")
