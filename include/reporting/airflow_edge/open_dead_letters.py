"""Opens the dead letters of this installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from reporting.airflow_edge.connections import broker, staging_bucket, warehouse
from reporting.airflow_edge.known_connection import NoConnectionError
from reporting.airflow_edge.settings import settings
from reporting.airflow_edge.watched_warehouse import read_only_warehouse, watched_warehouse
from reporting.core.service.dead_letters import DeadLetters, NoSuchLetterError
from reporting.core.warehouse.schema import ensure_schema
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.service.broker import Broker


@contextmanager
def open_dead_letters() -> Iterator[DeadLetters]:
    """Open warehouse and store for the block, for a task: it has all the time it needs."""
    with warehouse() as connection:
        ensure_schema(connection)
        yield DeadLetters(connection, staging_bucket())


@contextmanager
def settling_dead_letters(by: str) -> Iterator[DeadLetters]:
    """Open them for somebody at a page who settles some; `by` is who it is."""
    with watched_warehouse() as connection:
        ensure_schema(connection)
        yield DeadLetters(connection, staging_bucket(), by)


@contextmanager
def reading_dead_letters() -> Iterator[DeadLetters]:
    """Open them for somebody at a page who looks: nothing can be changed.

    Raises:
        NoSuchLetterError: the block asks for letters, and none was ever kept here.
    """
    from psycopg.errors import UndefinedTable

    with closing(read_only_warehouse()) as connection:
        try:
            yield DeadLetters(connection, staging_bucket())
        except UndefinedTable:
            raise NoSuchLetterError("No dead letter was ever kept here.") from None


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
