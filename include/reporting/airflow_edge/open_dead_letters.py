"""Opens the dead letters of this installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reporting.airflow_edge.connections import broker, staging_bucket, warehouse
from reporting.airflow_edge.known_connection import NoConnectionError
from reporting.airflow_edge.settings import settings
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.warehouse.schema import ensure_schema
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.service.broker import Broker


@contextmanager
def open_dead_letters(by: str = "") -> Iterator[DeadLetters]:
    """Open warehouse and store for the block; `by` is who settles letters in it."""
    with warehouse() as connection:
        ensure_schema(connection)
        yield DeadLetters(connection, staging_bucket(), by)


def broker_of_dead_letters() -> Broker | None:
    """Return the broker whose dead letters are kept; None on an installation without one."""
    try:
        return broker(settings().broker_conn_id)
    except NoConnectionError:
        return None


def demanded_broker() -> Broker:
    """Return the broker for whoever cannot do without it.

    Raises:
        TransientError: this installation has no connection to one.
    """
    known = broker_of_dead_letters()
    if known is None:
        raise TransientError("This installation has no connection to a broker.")
    return known
