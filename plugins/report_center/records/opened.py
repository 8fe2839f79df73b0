"""Opens what records are read from, inside the API server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING

from report_center.records.elsewhere import Elsewhere
from reporting.airflow_edge.connections import staging_bucket
from reporting.airflow_edge.open_dead_letters import broker_of_dead_letters
from reporting.airflow_edge.watched_warehouse import read_only_warehouse

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from reporting.core.objects import Bucket

# So long a changed connection to the store is not noticed.
CLIENT_SECONDS = 60


@contextmanager
def looking() -> Iterator[tuple[Session, Elsewhere]]:
    """Open Airflow's database for reading, and whatever else is asked in the block.

    It blocks: use it in a thread.
    """
    from airflow.utils.session import create_session

    elsewhere = Elsewhere(read_only_warehouse, _staging_bucket, broker_of_dead_letters)
    try:
        with create_session(scoped=False) as session:
            yield session, elsewhere
    finally:
        elsewhere.close()


def _staging_bucket() -> Bucket:
    return _bucket_of(int(monotonic() // CLIENT_SECONDS))


@lru_cache(maxsize=1)
def _bucket_of(_when: int) -> Bucket:
    """Return the bucket of staged data; a client takes a tenth of a second to make."""
    return staging_bucket()
