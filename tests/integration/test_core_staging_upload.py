"""An upload sends its pieces behind the writer, in bounded memory, and ends with its block."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from reporting.core import upload as upload_module
from reporting.core.in_order import InOrder
from reporting.core.objects import Bucket
from reporting.core.upload import CHUNK_BYTES, Upload
from tests.integration.holding_client import HoldingClient
from tests.integration.running_threads import running
from tests.integration.staged_tables import left
from tests.integration.striking import StruckError

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration

PIECE = bytes(CHUNK_BYTES)


@pytest.fixture
def held(s3: S3Client) -> HoldingClient:
    return HoldingClient(s3)


@pytest.fixture
def holding_bucket(held: HoldingClient) -> Bucket:
    return Bucket(held, "staging")  # type: ignore[arg-type]


@pytest.fixture
def goes_on_when_left(held: HoldingClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a piece under way until its upload is left."""
    end = InOrder.end

    def end_and_go_on(self: InOrder, undo: Any) -> None:
        held.go.set()
        end(self, undo)

    monkeypatch.setattr(InOrder, "end", end_and_go_on)


def test_the_writer_goes_on_while_a_piece_is_sent(
    held: HoldingClient, holding_bucket: Bucket, report_name: str
) -> None:
    with Upload(holding_bucket, f"{report_name}/x") as upload:
        for data in (PIECE, PIECE, PIECE[1:]):  # one is sent, one waits and one fills
            upload.write(data)
        assert held.done == ["create_multipart_upload"]
        held.go.set()
        upload.write(b"last")
        upload.commit()

    assert holding_bucket.get(f"{report_name}/x") == PIECE * 2 + PIECE[1:] + b"last"
    assert running("upload") == []


def test_no_more_than_three_pieces_are_held(
    held: HoldingClient, holding_bucket: Bucket, report_name: str
) -> None:
    waiting = []
    held.go.set()
    with Upload(holding_bucket, f"{report_name}/x") as upload:
        held.on_piece = lambda: waiting.append(
            upload.bytes_written - held.done.count("upload_part") * CHUNK_BYTES
        )
        for _ in range(80):
            upload.write(PIECE[: CHUNK_BYTES // 8])

    assert max(waiting) < 3 * CHUNK_BYTES


def test_a_small_object_needs_no_thread(
    staging_bucket: Bucket, report_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload_module, "InOrder", None)

    with Upload(staging_bucket, f"{report_name}/x") as upload:
        upload.write(PIECE[1:])
        upload.commit()

    assert left(staging_bucket, report_name) == [f"{report_name}/x"]


def test_what_is_committed_takes_nothing_more(staging_bucket: Bucket, report_name: str) -> None:
    with Upload(staging_bucket, f"{report_name}/x") as upload:
        upload.write(PIECE)
        upload.commit()
        for late in (lambda: upload.write(b"late"), upload.commit):
            with pytest.raises(ValueError, match="closed"):
                late()

    assert staging_bucket.get(f"{report_name}/x") == PIECE


@pytest.mark.usefixtures("goes_on_when_left")
@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, StruckError])
def test_who_leaves_waits_for_the_piece_under_way_and_only_then_aborts(
    held: HoldingClient, holding_bucket: Bucket, report_name: str, error: type[BaseException]
) -> None:
    def break_off() -> None:
        with Upload(holding_bucket, f"{report_name}/x") as upload:
            upload.write(PIECE * 2)
            assert held.began.wait(30)
            raise error

    with pytest.raises(error):
        break_off()

    assert held.done == ["create_multipart_upload", "upload_part", "abort_multipart_upload"]
    assert left(holding_bucket, report_name) == []
    assert running("upload") == []


@pytest.mark.usefixtures("goes_on_when_left")
def test_a_time_limit_ends_the_wait_for_a_slow_request(
    held: HoldingClient, holding_bucket: Bucket, report_name: str
) -> None:
    """The main thread waits in `commit`, the other one in the request."""
    committing = threading.Event()
    main = threading.main_thread().ident or 0

    def send_signal() -> None:
        assert committing.wait(30)
        signal.pthread_kill(main, signal.SIGUSR2)

    def strike(*_: object) -> None:
        raise StruckError

    def commit() -> None:
        with Upload(holding_bucket, f"{report_name}/x") as upload:
            held.on_piece = send_signal
            upload.write(PIECE * 2)
            committing.set()
            upload.commit()

    before = signal.signal(signal.SIGUSR2, strike)
    try:
        with pytest.raises(StruckError):
            commit()
    finally:
        signal.signal(signal.SIGUSR2, before)

    assert left(holding_bucket, report_name) == []
    assert running("upload") == []
