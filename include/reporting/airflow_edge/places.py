"""Opens everything a run may have left something in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reporting.airflow_edge.connections import s3_client, warehouse
from reporting.airflow_edge.requests import canceller
from reporting.airflow_edge.settings import settings
from reporting.core.objects import Bucket
from reporting.core.saga import Places


@contextmanager
def places() -> Iterator[Places]:
    """Open warehouse and store for the block."""
    client = s3_client(settings().store_conn_id)
    with warehouse() as connection:
        yield Places(
            connection,
            Bucket(client, settings().staging_bucket),
            Bucket(client, settings().reports_bucket),
            canceller,
        )
