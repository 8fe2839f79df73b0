"""The warehouse for who waits at a web page: one that does not answer is given up soon.

A host that drops what is sent to it would otherwise hold a thread for minutes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.connections import open_postgres
from reporting.airflow_edge.known_connection import POSTGRES, known_connection
from reporting.airflow_edge.settings import settings

if TYPE_CHECKING:
    import psycopg

CONNECT_SECONDS = 5
# A page is not worth a longer wait; what takes longer is said to be missing.
READ_ONLY = "SET statement_timeout = '5s'; SET default_transaction_read_only = on"


@contextmanager
def watched_warehouse() -> Iterator[psycopg.Connection[Any]]:
    """Open the warehouse for a change, and close it again."""
    with closing(_opened()) as connection:
        yield connection


def read_only_warehouse() -> psycopg.Connection[Any]:
    """Open the warehouse so that nothing can be changed; the caller closes it."""
    connection = _opened()
    try:
        connection.execute(READ_ONLY)
    except BaseException:
        connection.close()
        raise
    return connection


def _opened() -> psycopg.Connection[Any]:
    from attrs import evolve

    known = known_connection(settings().warehouse_conn_id, POSTGRES)
    extra = {"connect_timeout": CONNECT_SECONDS, **known.extra_dejson}
    return open_postgres(evolve(known, extra=json.dumps(extra)))
