"""Fetching all objects under a prefix of a real store, once they are complete."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reporting import ListedIn, Marker, NdjsonBody, S3Source, Unchanged
from reporting.core.quarantine import refused_from
from reporting.core.staging import Staging
from reporting.errors import ContractError, TransientError
from tests.integration.drop_fetching import Meddled, fetched, looked, rows_of
from tests.specimens import an_s3_source

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration

DAY = timedelta(days=1)


def a_set(name: str, **changes: Any) -> S3Source:
    given: dict[str, Any] = {"key": None, "prefix": f"{name}/", "complete": Marker()}
    return an_s3_source(**(given | changes))


def put(s3: S3Client, key: str, *ids: int) -> bytes:
    body = b"id,name\n" + b"".join(b"%d,x\n" % number for number in ids)
    s3.put_object(Bucket="landing", Key=key, Body=body)
    return body


def ids_of(staging: Staging, source: S3Source, s3: Any) -> list[int]:
    ids: list[int] = rows_of(staging, fetched(staging, source, s3))["id"].to_pylist()
    return ids


def test_a_set_is_read_once_its_marker_is_there(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    source = a_set(report_name, suffix=".csv")
    put(s3, f"{report_name}/b.csv", 3)
    put(s3, f"{report_name}/a.csv", 1, 2)
    put(s3, f"{report_name}0/a.csv", 9)
    s3.put_object(Bucket="landing", Key=f"{report_name}/folder/", Body=b"")
    s3.put_object(Bucket="landing", Key=f"{report_name}/notes.txt", Body=b"no data")
    missing = f"marker landing/{report_name}/_SUCCESS does not exist (yet)"
    assert looked(source, s3).lacks == missing

    s3.put_object(Bucket="landing", Key=f"{report_name}/_SUCCESS", Body=b"")
    manifest = fetched(staging, source, s3)

    assert rows_of(staging, manifest)["id"].to_pylist() == [1, 2, 3]
    assert [read["key"][-5:] for read in manifest.facts["read"]] == ["a.csv", "b.csv"]
    assert len(manifest.parts) == 1


def test_a_complete_set_may_be_empty(staging: Staging, s3: S3Client, report_name: str) -> None:
    for name in ("", "folder/", "_SUCCESS"):  # the first two only stand for folders
        s3.put_object(Bucket="landing", Key=f"{report_name}/{name}", Body=b"")

    manifest = fetched(staging, a_set(report_name), s3)

    assert (manifest.rows, manifest.facts["objects"], manifest.facts["read"]) == (0, 0, [])


def test_f17_a_set_that_is_written_again_is_waited_for(s3: S3Client, report_name: str) -> None:
    """Its marker is still that of the drop before."""
    s3.put_object(Bucket="landing", Key=f"{report_name}/_SUCCESS", Body=b"")
    put(s3, f"{report_name}/a.csv", 1)
    source = a_set(report_name)
    marker = s3.head_object(Bucket="landing", Key=f"{report_name}/_SUCCESS")["LastModified"]
    while s3.head_object(Bucket="landing", Key=f"{report_name}/a.csv")["LastModified"] <= marker:
        put(s3, f"{report_name}/a.csv", 1)  # the store tells times by the second

    assert "a.csv' is newer than its marker" in looked(source, s3).lacks
    s3.put_object(Bucket="landing", Key=f"{report_name}/_SUCCESS", Body=b"")
    assert looked(source, s3).lacks == ""


def test_f17_what_comes_with_the_marker_is_among_what_is_listed(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    put(s3, f"{report_name}/a.csv", 1)

    def the_rest_comes() -> None:
        put(s3, f"{report_name}/b.csv", 2)
        s3.put_object(Bucket="landing", Key=f"{report_name}/_SUCCESS", Body=b"")

    source = a_set(report_name)
    assert ids_of(staging, source, Meddled(s3, "head_object", the_rest_comes)) == [1, 2]


def test_f17_a_drop_that_goes_away_while_it_is_listed_is_none(
    s3: S3Client, report_name: str
) -> None:
    marker = f"{report_name}/_SUCCESS"
    put(s3, f"{report_name}/a.csv", 1)
    s3.put_object(Bucket="landing", Key=marker, Body=b"")

    def cleared() -> None:
        s3.delete_object(Bucket="landing", Key=f"{report_name}/a.csv")
        s3.delete_object(Bucket="landing", Key=marker)

    found = looked(a_set(report_name), Meddled(s3, "get_paginator", cleared))

    assert "has changed while the drop was looked at" in found.lacks


def test_row_and_object_of_what_does_not_fit_are_named(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    put(s3, f"{report_name}/a.csv", 1, 2)
    s3.put_object(Bucket="landing", Key=f"{report_name}/b.csv", Body=b"id,name\n3,x\ny,x\n")
    s3.put_object(Bucket="landing", Key=f"{report_name}/_SUCCESS", Body=b"")

    with pytest.raises(ContractError, match=rf"{report_name}/b\.csv, row 2, column 'id': 'y'"):
        fetched(staging, a_set(report_name), s3)

    part = fetched(staging, a_set(report_name, quarantine=1), s3).quarantine
    assert part is not None
    (row,) = refused_from(staging.bucket.get(part.key) or b"")
    assert (row.row, row.column) == (2, "id")
    assert row.reason.startswith(f"{report_name}/b.csv: 'y'")


def listed(s3: S3Client, name: str, items: Any) -> None:
    body = json.dumps({"objects": items}).encode()
    s3.put_object(Bucket="landing", Key=f"{name}/manifest.json", Body=body)


def test_a_list_says_what_is_read_and_what_it_must_be(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    source = a_set(report_name, complete=ListedIn())
    body = put(s3, f"{report_name}/a.csv", 1, 2)
    put(s3, f"{report_name}/stray.csv", 9)
    digest = hashlib.sha256(body).hexdigest()
    right = {"key": "a.csv", "bytes": len(body), "sha256": digest, "rows": 2}
    assert looked(source, s3).lacks.startswith(f"list landing/{report_name}/manifest.json does")

    listed(s3, report_name, [right, f"{report_name}/b.csv"])
    assert f"'{report_name}/b.csv' is named by" in looked(source, s3).lacks
    listed(s3, report_name, [right | {"bytes": 99}])
    assert f"has {len(body)} bytes; '{report_name}/manifest.json' says 99" in (
        looked(source, s3).lacks
    )
    listed(s3, report_name, [right | {"etag": "abc"}])
    assert "says abc" in looked(source, s3).lacks

    listed(s3, report_name, [right | {"rows": 3}])
    with pytest.raises(TransientError, match="has 2 rows; the list of the drop says 3"):
        fetched(staging, source, s3)
    listed(s3, report_name, [right | {"sha256": "0" * 64}])
    with pytest.raises(TransientError, match=f"SHA-256 {digest}; the list"):
        fetched(staging, source, s3)
    listed(s3, report_name, [right, "manifest.json"])
    assert ids_of(staging, source, s3) == [1, 2]


def test_a_list_that_is_none_fails(s3: S3Client, report_name: str) -> None:
    listed(s3, report_name, "a.csv")

    with pytest.raises(ContractError, match=r"manifest\.json: 'objects' is no list"):
        looked(a_set(report_name, complete=ListedIn()), s3)


def test_a_set_that_grows_is_waited_for_until_it_has_settled(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    short = timedelta(seconds=1)
    source = a_set(report_name, complete=Unchanged(during=short), wait=DAY)
    assert looked(source, s3).lacks.startswith(f"objects landing/{report_name}/* do not exist")
    put(s3, f"{report_name}/a.csv", 1)
    first = looked(source, s3)
    put(s3, f"{report_name}/b.csv", 2)
    second = looked(source, s3, first.sign)
    assert second.lacks
    assert first.sign != second.sign

    found = second
    while found.lacks:
        found = looked(source, s3, second.sign)
    assert found.sign == second.sign
    assert rows_of(staging, fetched(staging, source, s3, found))["id"].to_pylist() == [1, 2]


def test_what_is_too_young_is_waited_for_however_often_it_is_seen(
    s3: S3Client, report_name: str
) -> None:
    put(s3, f"{report_name}/a.csv", 1)
    source = a_set(report_name, complete=Unchanged(during=DAY), wait=DAY)
    first = looked(source, s3)

    assert "the newest of 1 objects is" in looked(source, s3, first.sign).lacks


def test_f19_facts_of_a_large_set_are_bounded(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    for number in range(120):
        body = b'{"id": %d, "name": null}\n' % number
        s3.put_object(Bucket="landing", Key=f"{report_name}/{number:03}", Body=body)
    s3.put_object(Bucket="landing", Key=f"{report_name}/_SUCCESS", Body=b"")

    manifest = fetched(staging, a_set(report_name, body=NdjsonBody()), s3)

    assert rows_of(staging, manifest)["id"].to_pylist() == list(range(120))
    assert (manifest.facts["objects"], len(manifest.facts["read"])) == (120, 100)
    assert len(manifest.facts["digest"]) == 64


NAMES = st.text("ab+ %é/._-0", min_size=1, max_size=6).filter(
    lambda name: (
        "//" not in name
        and not name.startswith("/")
        and not name.endswith("/")
        and not {".", ".."} & set(name.split("/"))
    )
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(names=st.sets(NAMES, max_size=6))
def test_f88_any_set_of_keys_is_read_whole_and_in_order(
    staging: Staging, s3: S3Client, names: set[str]
) -> None:
    # A store on folders cannot hold an object and others below it.
    names = {name for name in names if not any(other.startswith(f"{name}/") for other in names)}
    prefix = f"{uuid4().hex}/"
    ordered = sorted(names, key=str.encode)
    for number, name in enumerate(ordered):
        s3.put_object(
            Bucket="landing", Key=f"{prefix}{name}", Body=b'{"id": %d, "name": null}' % number
        )
    s3.put_object(Bucket="landing", Key=f"{prefix}~done", Body=b"")
    source = a_set(prefix[:-1], body=NdjsonBody(), complete=Marker("~done"), min_rows=0)

    manifest = fetched(staging, source, s3)

    assert [read["key"] for read in manifest.facts["read"]] == [prefix + name for name in ordered]
    assert rows_of(staging, manifest)["id"].to_pylist() == list(range(len(ordered)))
