"""What was found complete is what is read, in exactly that version, whatever happens meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import boto3
import pytest
from botocore.exceptions import ClientError

from reporting import Marker, S3Source
from reporting.core.staging import Staging
from reporting.errors import TerminalError, TransientError
from tests.integration.drop_fetching import Meddled, fetched, landing_of, looked, rows_of
from tests.specimens import an_s3_source

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration

OLD, NEW = b"id,name\n1,old\n", b"id,name\n2,new\n"


@pytest.fixture(scope="module")
def versioned(s3: S3Client) -> str:
    """Return a bucket that keeps versions, in which an object lies that is older than they are."""
    bucket = f"versioned-{uuid4().hex[:12]}"
    s3.create_bucket(Bucket=bucket)
    s3.put_object(Bucket=bucket, Key="before/0.csv", Body=b"id,name\n0,old\n")
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    return bucket


def a_drop(s3: S3Client, bucket: str, prefix: str) -> S3Source:
    for name in ("a.csv", "b.csv", "_SUCCESS"):
        s3.put_object(Bucket=bucket, Key=f"{prefix}/{name}", Body=OLD)
    return an_s3_source(key=None, prefix=f"{prefix}/", bucket=bucket, complete=Marker())


def names_of(staging: Staging, source: S3Source, client: Any, found: Any = None) -> list[str]:
    manifest = fetched(staging, source, client, found)
    names: list[str] = rows_of(staging, manifest)["name"].to_pylist()
    return names


class Forbidding:
    """A client that may read objects, and no versions of them."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def get_object(self, **how: Any) -> Any:
        if "VersionId" in how:
            raise ClientError({"Error": {"Code": "AccessDenied"}}, "GetObject")
        return self._client.get_object(**how)


@pytest.mark.parametrize("happens", ["replaced", "removed"])
def test_f17_without_versions_a_change_after_the_look_is_noticed(
    staging: Staging, s3: S3Client, report_name: str, happens: str
) -> None:
    source = a_drop(s3, "landing", report_name)
    found = looked(source, s3)
    if happens == "replaced":
        s3.put_object(Bucket="landing", Key=f"{report_name}/b.csv", Body=NEW)
    else:
        s3.delete_object(Bucket="landing", Key=f"{report_name}/b.csv")

    with pytest.raises(TransientError, match=rf"{report_name}/b\.csv was replaced or removed"):
        fetched(staging, source, s3, found)
    assert list(staging.bucket.keys(staging.run.prefix)) == []


def test_f17_without_versions_a_change_between_two_objects_is_noticed(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    source = a_drop(s3, "landing", report_name)

    def happens() -> None:
        s3.put_object(Bucket="landing", Key=f"{report_name}/b.csv", Body=NEW)

    with pytest.raises(TransientError, match=r"b\.csv was replaced or removed"):
        names_of(staging, source, Meddled(s3, "get_object", happens))
    assert list(staging.bucket.keys(staging.run.prefix)) == []


def test_f17_with_versions_those_that_were_found_are_read(
    staging: Staging, s3: S3Client, versioned: str, report_name: str
) -> None:
    source = a_drop(s3, versioned, report_name)
    found = looked(source, s3)
    versions = {
        key: s3.head_object(Bucket=versioned, Key=f"{report_name}/{key}")["VersionId"]
        for key in ("a.csv", "b.csv")
    }

    def happens() -> None:
        s3.put_object(Bucket=versioned, Key=f"{report_name}/a.csv", Body=NEW)
        s3.delete_object(Bucket=versioned, Key=f"{report_name}/b.csv")

    manifest = fetched(staging, source, Meddled(s3, "get_object", happens), found)

    assert rows_of(staging, manifest)["name"].to_pylist() == ["old", "old"]
    read = {part["key"].rpartition("/")[2]: part["version"] for part in manifest.facts["read"]}
    assert read == versions


def test_f17_with_versions_a_change_before_they_are_known_is_noticed(
    staging: Staging, s3: S3Client, versioned: str, report_name: str
) -> None:
    source = a_drop(s3, versioned, report_name)
    found = looked(source, s3)
    s3.put_object(Bucket=versioned, Key=f"{report_name}/b.csv", Body=NEW)

    with pytest.raises(TransientError, match=r"b\.csv was replaced or removed"):
        fetched(staging, source, s3, found)


def test_a_connection_that_may_not_read_versions_reads_by_etag(
    staging: Staging, s3: S3Client, versioned: str, report_name: str
) -> None:
    source = a_drop(s3, versioned, report_name)
    client = Forbidding(s3)
    found = looked(source, client)
    assert names_of(staging, source, client, found) == ["old", "old"]

    s3.put_object(Bucket=versioned, Key=f"{report_name}/b.csv", Body=NEW)
    with pytest.raises(TransientError, match=r"b\.csv was replaced or removed"):
        fetched(staging, source, client, found)


def test_an_object_older_than_the_versions_of_its_bucket_is_read(
    staging: Staging, s3: S3Client, versioned: str
) -> None:
    s3.put_object(Bucket=versioned, Key="before/1.csv", Body=NEW)
    s3.put_object(Bucket=versioned, Key="before/_SUCCESS", Body=b"")
    source = an_s3_source(key=None, prefix="before/", bucket=versioned, complete=Marker())

    assert names_of(staging, source, s3) == ["old", "new"]


def test_f17_an_object_replaced_while_it_is_read_is_never_a_mix(
    s3: S3Client, report_name: str
) -> None:
    size = 32 * 1024 * 1024
    s3.put_object(Bucket="landing", Key=report_name, Body=b"a" * size)
    source = an_s3_source(key=report_name)
    landed = landing_of(source, s3).head(report_name)
    assert landed is not None

    with landing_of(source, s3).open(landed) as body:
        first = body.read(1000)
        s3.put_object(Bucket="landing", Key=report_name, Body=b"b" * size)
        try:
            rest = body.read()
            body.demand_whole()
        except TransientError:
            rest = b""
    assert set(first + rest) == set(b"a")


def other_client(s3: S3Client, secret: str, endpoint: str = "") -> Any:
    login: Any = s3._request_signer._credentials  # type: ignore[attr-defined]
    return boto3.client(
        "s3",
        endpoint_url=endpoint or s3.meta.endpoint_url,
        aws_access_key_id=login.access_key,
        aws_secret_access_key=secret,
        region_name="us-east-1",
    )


@pytest.mark.parametrize("where", [{"key": "x.csv"}, {"prefix": "x/", "complete": Marker()}])
def test_f73_a_wrong_secret_is_no_absence(s3: S3Client, where: dict[str, Any]) -> None:
    source = an_s3_source(**({"key": None} | where))

    with pytest.raises(TerminalError) as fault:
        looked(source, other_client(s3, "not the secret"))
    assert "refuses connection 'landing': 403 SignatureDoesNotMatch" in str(fault.value)
    assert "not the secret" not in str(fault.value)


@pytest.mark.parametrize("where", [{"key": "x.csv"}, {"prefix": "x/", "complete": Marker()}])
def test_f73_a_bucket_that_is_not_there_is_no_absence(s3: S3Client, where: dict[str, Any]) -> None:
    source = an_s3_source(**({"key": None, "bucket": "no-such-bucket"} | where))

    with pytest.raises(TerminalError, match="no such bucket, as connection 'landing' sees it"):
        looked(source, s3)


def test_a_store_that_is_away_may_come_back(s3: S3Client) -> None:
    with pytest.raises(TransientError, match="could not be reached through 'landing': Endpoint"):
        looked(an_s3_source(), other_client(s3, "x", "http://127.0.0.1:9"))
