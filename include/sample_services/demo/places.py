"""Opens the warehouse and the reports bucket by Airflow's connections in the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.settings import settings
from reporting.core.objects import Bucket
from reporting.errors import TerminalError, TransientError

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS = 10


def connection(conn_id: str) -> Mapping[str, Any]:
    """Return the parts of a connection.

    Raises:
        TerminalError: the environment does not have it.
    """
    name = f"AIRFLOW_CONN_{conn_id.upper()}"
    try:
        return dict(json.loads(os.environ[name]))
    except (KeyError, ValueError):
        raise TerminalError(
            f"{name} is no JSON connection in the environment; start the stack with `make up`."
        ) from None


def warehouse_parts() -> Mapping[str, Any]:
    """Return where the warehouse is."""
    return connection(settings().warehouse_conn_id)


@contextmanager
def answering(what: str) -> Iterator[None]:
    """Turn a far side's errors into one that says which one it was.

    Raises:
        TransientError: it did not answer, or not as it should.
    """
    import psycopg
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (psycopg.Error, BotoCoreError, ClientError) as error:
        raise TransientError(f"The {what}: {type(error).__name__}: {error}") from None


@contextmanager
def open_warehouse() -> Iterator[psycopg.Connection[Any]]:
    """Open the warehouse and close it again.

    Raises:
        TransientError: it does not answer.
    """
    import psycopg

    parts = warehouse_parts()
    with (
        answering("report warehouse"),
        psycopg.connect(
            host=parts["host"],
            port=parts["port"],
            dbname=parts["schema"],
            user=parts["login"],
            password=parts["password"],
            connect_timeout=CONNECT_SECONDS,
            autocommit=True,
        ) as opened,
    ):
        yield opened


def reports_bucket() -> Bucket:
    """Return the bucket of published files."""
    import boto3
    from botocore.config import Config

    parts = connection(settings().store_conn_id)
    extra = parts.get("extra") or {}
    client = boto3.client(
        "s3",
        aws_access_key_id=parts["login"],
        aws_secret_access_key=parts["password"],
        endpoint_url=extra.get("endpoint_url"),
        region_name=extra.get("region_name"),
        config=Config(**extra.get("config_kwargs", {})),
    )
    return Bucket(client, settings().reports_bucket)
