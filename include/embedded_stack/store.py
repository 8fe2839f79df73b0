"""The S3 store: SeaweedFS, closed where its defaults are open."""

import base64
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from embedded_stack.layout import Layout
from embedded_stack.ports import LOOPBACK
from embedded_stack.private_file import write_private
from embedded_stack.service import Service, dies_with_supervisor

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

NAME = "store"
REGION = "us-east-1"
BUCKETS = ("staging", "reports", "landing")
# Without these keys the filer's own port reads and deletes objects with no credentials.
SIGNING_KEYS = ("jwt.signing", "jwt.signing.read", "jwt.filer_signing", "jwt.filer_signing.read")


def endpoint(layout: Layout) -> str:
    """The address S3 clients use."""
    return f"http://{layout.store_host}:{layout.ports.s3}"


def prepare(layout: Layout) -> None:
    """Make the keys that close the store's inner ports, once."""
    path = layout.store / "security.toml"
    if not path.exists():
        write_private(path, "".join(f'[{name}]\nkey = "{_key()}"\n' for name in SIGNING_KEYS))


def service(layout: Layout) -> Service:
    """The store as a supervised process; it reads `security.toml` in its working folder."""
    program = str(Path(sys.executable).with_name("weed"))
    return Service(
        name=NAME,
        argv=dies_with_supervisor("TERM", program, "-logtostderr", "mini", *_flags(layout)),
        folder=layout.store,
        ports=("s3", "store_master", "store_filer", "store_volume", "store_admin"),
        url=endpoint(layout),
        environment={
            "AWS_ACCESS_KEY_ID": layout.credentials.s3_access_key,
            "AWS_SECRET_ACCESS_KEY": layout.credentials.s3_secret_key,
            # A small heap is enough here and leaves the memory to the reports.
            "GOMEMLIMIT": "300MiB",
            "GOGC": "50",
        },
        program=str(Path(program).resolve()),
    )


def client(layout: Layout) -> "S3Client":
    """An S3 client with the store's credentials."""
    return boto3.client(
        "s3",
        endpoint_url=endpoint(layout),
        region_name=REGION,
        aws_access_key_id=layout.credentials.s3_access_key,
        aws_secret_access_key=layout.credentials.s3_secret_key,
        config=Config(
            s3={"addressing_style": "path"},
            connect_timeout=2,
            read_timeout=10,
            retries={"total_max_attempts": 1},
            proxies={},
        ),
    )


def keeps(s3: "S3Client", bucket: str, key: str, body: bytes) -> bool:
    """Make the buckets and an object where missing; whether the store gives the object back.

    A store that lists its buckets may still be unable to keep data: only this shows it can.
    """
    try:
        present = {entry["Name"] for entry in s3.list_buckets()["Buckets"]}
        for name in set(BUCKETS) - present:
            s3.create_bucket(Bucket=name)
        found = s3.list_objects_v2(Bucket=bucket, Prefix=key).get("Contents", [])
        if key not in {entry["Key"] for entry in found}:
            s3.put_object(Bucket=bucket, Key=key, Body=body)
        held: bytes = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
    except (BotoCoreError, ClientError):
        return False
    return held == body


def _flags(layout: Layout) -> tuple[str, ...]:
    ports = layout.ports
    return (
        f"-dir={layout.store}", f"-ip={LOOPBACK}", f"-ip.bind={LOOPBACK}",
        f"-s3.port={ports.s3}", f"-master.port={ports.store_master}",
        f"-filer.port={ports.store_filer}", f"-volume.port={ports.store_volume}",
        f"-admin.port={ports.store_admin}", "-admin.ui=false", "-webdav=false",
        "-master.telemetry=false", "-s3.port.iceberg=0", "-s3.port.lance=0",
        # Relative to the working folder: a socket's path must be short, and its default is /tmp.
        "-s3.localSocket=s3.sock", "-filer.localSocket=filer.sock",
        # A mistyped bucket must fail, and a full one must not vanish.
        "-s3.autoCreateBucket=false", "-s3.allowDeleteBucketNotEmpty=false",
    )  # fmt: skip


def _key() -> str:
    return base64.b64encode(secrets.token_bytes(24)).decode()
