"""A connection of Airflow, once it is there and of the right type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.errors import TerminalError

if TYPE_CHECKING:
    from airflow.sdk import Connection

# The first one is what to choose in Airflow's form; the others work as well.
HTTP = ("http", "https")
POSTGRES = ("postgres", "redshift")
S3 = ("aws", "s3")
BROKER = ("generic", "amqp", "amqps", "rabbitmq")
UNTYPED = ("", "generic")  # says nothing, so it may be anything


class NoConnectionError(TerminalError):
    """Airflow knows no connection of that name."""


def known_connection(conn_id: str, types: tuple[str, ...]) -> Connection:
    """Return a connection of one of some types.

    Raises:
        NoConnectionError: Airflow does not know it.
        TerminalError: it is of another type, with which the far side would be asked in vain.
    """
    from airflow.sdk import Connection
    from airflow.sdk.exceptions import AirflowNotFoundException

    try:
        known: Connection = Connection.get(conn_id)
    except AirflowNotFoundException:
        raise NoConnectionError(
            f"Airflow has no connection {conn_id!r}. Add one of type {types[0]!r}: "
            f"Admin > Connections, or AIRFLOW_CONN_{conn_id.upper()} in its environment."
        ) from None
    if known.conn_type not in (*types, *UNTYPED):
        raise TerminalError(
            f"Connection {conn_id!r} is of type {known.conn_type!r}; allowed: {types[0]}. "
            "Name another connection, or change this one: Admin > Connections."
        )
    return known
