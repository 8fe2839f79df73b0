"""Opens everything a run may have left something in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from reporting.airflow_edge.connections import warehouse
from reporting.airflow_edge.requests import canceller
from reporting.airflow_edge.s3_clients import s3_client
from reporting.airflow_edge.settings import settings
from reporting.core.objects import Bucket
from reporting.core.saga import Places
from reporting.core.sweep import Sweep


@contextmanager
def places(sweep: Sweep | None = None) -> Iterator[Places]:
    """Open warehouse and store for the block.

    Args:
        sweep: remembers the services that do not answer; without it the block is one sweep.
    """
    client = s3_client(settings().store_conn_id)
    with warehouse() as connection:
        yield Places(
            connection,
            Bucket(client, settings().staging_bucket),
            Bucket(client, settings().reports_bucket),
            partial(canceller, sweep=sweep or Sweep()),
        )
