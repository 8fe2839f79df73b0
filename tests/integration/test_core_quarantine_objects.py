"""The rows set aside belong to their attempt: what undoes it removes them (F1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reporting.core.fit import Refused
from reporting.core.objects import Bucket
from reporting.core.quarantine import refused_from
from reporting.core.staging import Staging
from tests.integration.breaking_client import BreakingClient, CrashedError, LostAnswerError
from tests.integration.staged_tables import COLUMNS, batch, left

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration


def stage(staging: Staging, *bad: int) -> None:
    with staging.attempt("orders", COLUMNS) as attempt:
        attempt.writer.write(batch(range(5), "a"))
        attempt.refused += [Refused(n, "id", "?", {"id": "x"}) for n in bad]
        attempt.commit({})


def numbers(staging: Staging) -> list[int]:
    """Return the rows set aside that the manifest in force names; all must be there."""
    manifest = staging.manifest("orders")
    if manifest is None or manifest.quarantine is None:
        return []
    return [row.row for row in refused_from(staging.bucket.get(manifest.quarantine.key) or b"")]


def objects(staging: Staging) -> list[str]:
    return sorted(key.rsplit("/", 1)[1] for key in left(staging.bucket, staging.run.prefix))


def test_the_next_commit_removes_those_of_the_one_before(staging: Staging) -> None:
    stage(staging, 1, 2)
    assert objects(staging) == ["00-part-00000.parquet", "manifest.json", "quarantine.jsonl"]

    stage(staging, 3)
    assert numbers(staging) == [3]
    assert len(objects(staging)) == 3

    stage(staging)
    assert numbers(staging) == []
    assert objects(staging) == ["00-part-00000.parquet", "manifest.json"]


def test_what_is_committed_is_no_stray(staging: Staging) -> None:
    stage(staging, 1)

    assert staging.discard_uncommitted("orders") == 0
    assert numbers(staging) == [1]
    assert staging.discard() == 3
    assert objects(staging) == []


def test_an_attempt_that_fails_takes_them_with_it(staging: Staging, s3: S3Client) -> None:
    """The store has them, and the answer that says so was lost."""
    second_put = 2
    breaking = BreakingClient(s3, second_put, after=True, dies=False)
    broken = Bucket(breaking, staging.bucket.name)  # type: ignore[arg-type]

    with pytest.raises(LostAnswerError):
        stage(Staging(broken, staging.run), 1)

    assert breaking.calls[:second_put] == ["put_object"] * 2  # a part, and they
    assert objects(staging) == []


@pytest.mark.parametrize("dies", [False, True], ids=["error", "death"])
@pytest.mark.parametrize("after", [False, True], ids=["before the store", "after the store"])
def test_f1_a_crash_at_any_call_leaves_old_or_new_and_nothing_behind(
    staging: Staging, s3: S3Client, *, dies: bool, after: bool
) -> None:
    crashes, calls = 0, 0
    for at in range(1, 50):
        stage(staging, 1)
        breaking = BreakingClient(s3, at, after=after, dies=dies)
        broken = Bucket(breaking, staging.bucket.name)  # type: ignore[arg-type]
        try:
            stage(Staging(broken, staging.run), 2, 3)
        except (CrashedError, LostAnswerError):
            crashes += 1
        assert numbers(staging) in ([1], [2, 3])
        staging.discard_uncommitted("orders")
        assert objects(staging) == ["00-part-00000.parquet", "manifest.json", "quarantine.jsonl"]
        assert numbers(staging) in ([1], [2, 3])
        staging.discard()
        assert objects(staging) == []
        if len(breaking.calls) < at:
            calls = len(breaking.calls)
            break
    assert breaking.calls.count("put_object") == 3
    assert crashes >= calls - 1  # an old part that cannot be removed is no fault
