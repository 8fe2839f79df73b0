"""Inputs are read in order, the next part on its way, in bounded memory and threads that end."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from threading import Event
from typing import TYPE_CHECKING, Any
from weakref import ref

import pandas as pd
import pyarrow as pa
import pytest

from reporting.core import download, inputs
from reporting.core.inputs import Inputs
from reporting.core.manifest import Manifest
from reporting.core.staging import Staging
from reporting.errors import TerminalError
from tests.integration.running_threads import running
from tests.integration.staged_parts import (
    PARTS,
    WatchingClient,
    inputs_of,
    number_of,
    stage_parts,
)

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _no_thread_is_left() -> Iterator[None]:
    yield
    assert running("made-ahead") + running("read-ahead") == []


@pytest.fixture
def manifest(staging: Staging) -> Manifest:
    return stage_parts(staging)


@pytest.fixture
def watched(s3: S3Client) -> WatchingClient:
    return WatchingClient(s3)


@pytest.fixture
def given(manifest: Manifest, watched: WatchingClient) -> Inputs:
    return inputs_of(manifest, watched)


@pytest.mark.parametrize("ranges", [1, 7, 40])
def test_parts_come_whole_and_in_order_whatever_the_ranges(
    given: Inputs, manifest: Manifest, monkeypatch: pytest.MonkeyPatch, ranges: int
) -> None:
    monkeypatch.setattr(download, "RANGE_BYTES", -(-manifest.parts[0].bytes // ranges))

    tables = list(given.batches("orders"))

    assert [number_of(table) for table in tables] == list(range(PARTS))
    assert all(table["id"].to_pylist() == list(range(100)) for table in tables)


def test_a_frame_is_what_pandas_reads(given: Inputs, manifest: Manifest) -> None:
    bodies = [BytesIO(given.bucket.get(part.key) or b"") for part in manifest.parts]
    expected = [pd.read_parquet(body, dtype_backend="pyarrow") for body in bodies]

    pd.testing.assert_frame_equal(given.frame("orders"), pd.concat(expected, ignore_index=True))


def test_the_next_part_is_on_its_way_while_one_is_decoded(
    given: Inputs, watched: WatchingClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    decode, second = inputs._decoded, Event()

    def decode_late(columns: Any, body: pa.Buffer) -> pa.Table:
        assert second.wait(30)
        return decode(columns, body)

    monkeypatch.setattr(inputs, "_decoded", decode_late)
    watched.before = lambda _: second.set() if watched.parts else None

    assert given.table("orders").num_rows == PARTS * 100


def test_only_one_part_is_ahead_and_the_bytes_of_two_are_held(
    given: Inputs, watched: WatchingClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, held, allocate = list[ref[pa.Buffer]](), list[int](), pa.allocate_buffer

    def noted(size: int) -> pa.Buffer:
        buffer = allocate(size)
        made.append(ref(buffer))
        held.append(sum(one() is not None for one in made))
        return buffer

    monkeypatch.setattr(pa, "allocate_buffer", noted)

    third = Event()
    watched.before = lambda _: third.set() if watched.parts == 2 else None
    batches = given.batches("orders")
    next(batches)
    assert not third.wait(0.2)
    for number, _ in enumerate(batches, start=1):
        assert watched.parts <= number + 2
    assert len(held) == PARTS
    assert max(held) == 2


def test_who_stops_early_fetches_no_more(
    given: Inputs, watched: WatchingClient, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is under way of the second part is waited for, what waits is dropped."""
    left, size = Event(), manifest.parts[0].bytes

    class Threads(ThreadPoolExecutor):
        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            left.set()
            super().shutdown(wait)

    monkeypatch.setattr(inputs, "ThreadPoolExecutor", Threads)
    monkeypatch.setattr(download, "RANGE_BYTES", 20)
    ranges = -(-size // 20)
    watched.before = lambda count: left.wait(30) if count >= ranges else None

    for _ in given.batches("orders"):
        break
    assert len(watched.keys) <= ranges + download.RANGES_AT_ONCE


def test_columns_come_as_asked_for(given: Inputs) -> None:
    assert given.frame("orders", ["name", "id"]).columns.tolist() == ["name", "id"]
    assert given.table("orders", ["name"]).schema.names == ["name"]


@pytest.mark.parametrize("asked", [[], ["id", "name", "id"]])
def test_no_column_or_one_asked_for_twice_is_refused(given: Inputs, asked: list[str]) -> None:
    with pytest.raises(TerminalError, match=r"'orders'.*\[.*\]; allowed: at least one.*each once"):
        given.frame("orders", asked)
