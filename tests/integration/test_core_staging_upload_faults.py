"""Whatever goes wrong in an upload is told once, as it is, and nothing is left of it."""

from __future__ import annotations

from itertools import count, product
from typing import TYPE_CHECKING, Any

import pytest

from reporting.core import in_order
from reporting.core import upload as upload_module
from reporting.core.objects import Bucket
from reporting.core.upload import CHUNK_BYTES, Upload
from tests.integration.breaking_client import BreakingClient, CrashedError, LostAnswerError
from tests.integration.running_threads import running
from tests.integration.staged_tables import left
from tests.integration.striking import StruckError, striking

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration

PIECE = bytes(CHUNK_BYTES)
LEAST_BYTES = 5 * 1024 * 1024  # of a piece that is not the last
CALLS = (
    "create_multipart_upload",
    *("upload_part",) * 3,
    "complete_multipart_upload",
)


def upload_whole(bucket: Bucket, key: str) -> None:
    """Send two pieces and a half."""
    with Upload(bucket, key) as upload:
        for _ in range(10):
            upload.write(PIECE[: CHUNK_BYTES // 4])
        upload.commit()


# Without the answer to its first request nobody knows the upload: `abort_uploads` finds it.
@pytest.mark.parametrize(("at", "after"), [(1, False), *product(range(2, 6), [False, True])])
def test_a_failing_request_is_told_and_nothing_is_left(
    staging_bucket: Bucket, s3: S3Client, report_name: str, at: int, *, after: bool
) -> None:
    breaking = BreakingClient(s3, at, after=after, dies=False)

    with pytest.raises(LostAnswerError, match=CALLS[at - 1]):
        upload_whole(Bucket(breaking, "staging"), f"{report_name}/x")  # type: ignore[arg-type]

    assert left(staging_bucket, report_name) == []
    assert running("upload") == []


@pytest.mark.parametrize("at", range(1, len(CALLS) + 1))
def test_a_store_that_dies_leaves_no_thread(s3: S3Client, report_name: str, at: int) -> None:
    dying = BreakingClient(s3, at, after=False)

    with pytest.raises(CrashedError):
        upload_whole(Bucket(dying, "staging"), f"{report_name}/x")  # type: ignore[arg-type]

    assert running("upload") == []


@pytest.mark.parametrize("after", [False, True], ids=["before the store", "after the store"])
def test_a_small_object_whose_put_fails_is_not_left(
    staging_bucket: Bucket, s3: S3Client, report_name: str, *, after: bool
) -> None:
    breaking: Any = BreakingClient(s3, 1, after=after, dies=False)

    def put_small() -> None:
        with Upload(Bucket(breaking, "staging"), f"{report_name}/x") as upload:
            upload.write(b"x")
            upload.commit()

    with pytest.raises(LostAnswerError, match="put_object"):
        put_small()
    assert left(staging_bucket, report_name) == []


def test_an_error_is_told_by_the_next_write_and_only_once(
    staging_bucket: Bucket, s3: S3Client, report_name: str
) -> None:
    breaking: Any = BreakingClient(s3, at=2, after=False, dies=False)

    def write_until_told(upload: Upload) -> None:
        upload.write(PIECE)
        while upload.bytes_written < 2 * CHUNK_BYTES - 1:  # no piece is full before
            upload.write(b"x")

    with Upload(Bucket(breaking, "staging"), f"{report_name}/x") as upload:
        with pytest.raises(LostAnswerError, match="upload_part"):
            write_until_told(upload)
        with pytest.raises(ValueError, match="closed"):
            upload.write(b"late")
        with pytest.raises(ValueError, match="closed"):
            upload.commit()

    assert breaking.calls.count("upload_part") == 1
    assert left(staging_bucket, report_name) == []


def test_a_time_limit_may_strike_anywhere(
    staging_bucket: Bucket, report_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Raise at every third line the main thread comes to, until it comes to no more."""
    monkeypatch.setattr(upload_module, "CHUNK_BYTES", LEAST_BYTES)
    key = f"{report_name}/x"

    def upload_and_strike(at: int) -> None:
        with Upload(staging_bucket, key) as upload, striking(at, upload_module, in_order):
            upload.write(PIECE[:LEAST_BYTES])
            upload.write(b"last")
            upload.commit()

    for at in count(1, 3):
        try:
            upload_and_strike(at)
        except StruckError:
            assert left(staging_bucket, report_name) == [], at
            assert running("upload") == [], at
        else:
            break
    assert at > 60
    assert staging_bucket.get(key) == PIECE[:LEAST_BYTES] + b"last"
