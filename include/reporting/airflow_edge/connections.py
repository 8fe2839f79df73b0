"""Opens what Airflow's connections name, and hands plain clients to the core."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, cast

from reporting.airflow_edge.known_connection import BROKER, HTTP, POSTGRES, known_connection
from reporting.airflow_edge.s3_clients import s3_client
from reporting.airflow_edge.settings import settings
from reporting.core.airflow_api import AirflowApi
from reporting.core.fetch.endpoint import Endpoint, TokenLogin
from reporting.core.objects import Bucket
from reporting.core.service.broker import Broker

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Connection

AMQP_PORT = 5672


@contextmanager
def postgres(conn_id: str) -> Iterator[psycopg.Connection[Any]]:
    """Open an autocommit connection and close it again."""
    with closing(open_postgres(known_connection(conn_id, POSTGRES))) as connection:
        yield connection


def open_postgres(known: Connection) -> psycopg.Connection[Any]:
    """Open an autocommit connection; the caller closes it."""
    from airflow.providers.postgres.hooks.postgres import PostgresHook

    hook = PostgresHook(known.conn_id, connection=known)
    connection = cast("psycopg.Connection[Any]", hook.get_conn())
    connection.autocommit = True
    return connection


@contextmanager
def warehouse() -> Iterator[psycopg.Connection[Any]]:
    """Open the report warehouse."""
    with postgres(settings().warehouse_conn_id) as connection:
        yield connection


def staging_bucket() -> Bucket:
    """Return the bucket of staged data."""
    return Bucket(s3_client(settings().store_conn_id), settings().staging_bucket)


def reference_bucket() -> Bucket:
    """Return the bucket in which services leave what is too large for a message."""
    return Bucket(s3_client(settings().store_conn_id), settings().reference_bucket)


def broker(conn_id: str) -> Broker:
    """Return the message broker; the connection's schema is the virtual host."""
    import logging

    # Fifteen lines for every connection; what went wrong is in the error that is raised.
    logging.getLogger("pika").setLevel(logging.CRITICAL)
    known = known_connection(conn_id, BROKER)
    return Broker(
        known.host or "localhost",
        known.port or AMQP_PORT,
        known.login or "guest",
        known.password or "",
        known.schema or "/",
    )


def airflow_api() -> AirflowApi:
    """Return a client of Airflow's own REST API."""
    known = known_connection(settings().api_conn_id, HTTP)
    base = http_endpoint(settings().api_conn_id).base_url
    return AirflowApi(base, known.login or "", known.password or "")


def http_endpoint(conn_id: str) -> Endpoint:
    """Return where a service is and how to log in.

    The connection's extra may hold `headers`; with `token_path`, and `scope` if there is one,
    login and password get a token there that is sent instead of them.
    """
    known = known_connection(conn_id, HTTP)
    scheme = known.schema or "http"
    host = known.host or ""
    base = host if "://" in host else f"{scheme}://{host}"
    if known.port:
        base = f"{base}:{known.port}"
    login = (known.login, known.password or "") if known.login else None
    extra = known.extra_dejson
    token = (
        TokenLogin(extra["token_path"], extra.get("scope", "")) if "token_path" in extra else None
    )
    return Endpoint(base, login, extra.get("headers", {}), token)
