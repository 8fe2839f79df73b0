"""Strikes inside the process of a task, at the points for which there is a marker.

Loaded by Airflow's local settings (`tests/faults/settings`) into every process of a stack that is
tested; it does something in the processes of tasks only.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from tests.faults.markers import Markers
from tests.faults.points import (
    BEFORE,
    CUT_OFF,
    DATABASE_ERROR,
    FATAL,
    HOLD,
    KILL,
    POINTS,
    STORE_AWAY,
    STORE_BUSY,
    TORN,
    Point,
)

FOLDER = "REPORTS_FAULTS"  # environment variable
PIECE = b"torn" * (5 * 1024 * 256)  # 5 MiB: the least S3 takes as a piece of more


@cache
def install() -> None:
    """Wrap what is to be struck in the task of this process; elsewhere nothing."""
    from airflow.sdk import get_parsing_context

    now = get_parsing_context()
    if FOLDER not in os.environ or now.dag_id is None or now.task_id is None:
        return
    markers = Markers(Path(os.environ[FOLDER]))
    asked = markers.points(now.dag_id, now.task_id)
    for point in POINTS:
        if point.name in asked:
            wrap(point, lambda found, args: _strike(markers, found, args))


def wrap(point: Point, strike: Callable[[Point, tuple[Any, ...]], None]) -> None:
    """Make the product's function strike at the moment of the point."""
    module, _, path = point.target.partition(":")
    owner: Any = import_module(module)
    *owners, name = path.split(".")
    for part in owners:
        owner = getattr(owner, part)
    function = getattr(owner, name)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if point.moment == BEFORE:
            strike(point, args)
            return function(*args, **kwargs)
        found = function(*args, **kwargs)
        strike(point, args)
        return found

    setattr(owner, name, call)


def _strike(markers: Markers, point: Point, args: tuple[Any, ...]) -> None:
    from airflow.sdk import get_current_context

    ti: Any = get_current_context()["ti"]
    where = (ti.dag_id, ti.run_id, ti.task_id, point.name)
    what = markers.take(*where)
    if what == HOLD:
        markers.hold(*where)
    elif what is not None:
        FAULTS[what](args)


def _kill(_: tuple[Any, ...]) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _fail(_: tuple[Any, ...]) -> NoReturn:
    from reporting.errors import TerminalError

    raise TerminalError("struck")


def _store_away(_: tuple[Any, ...]) -> NoReturn:
    from botocore.exceptions import EndpointConnectionError

    raise EndpointConnectionError(endpoint_url="http://struck")


def _store_busy(_: tuple[Any, ...]) -> NoReturn:
    from botocore.exceptions import ClientError

    told: Any = {
        "Error": {"Code": "SlowDown", "Message": "struck"},
        "ResponseMetadata": {"HTTPStatusCode": 503},
    }
    raise ClientError(told, "PutObject")


def _tear(args: tuple[Any, ...]) -> None:
    """Leave half an object and an open upload, and die."""
    writer = args[0]
    place = {"Bucket": writer._bucket.name, "Key": writer._next_key}
    client = writer._bucket.client
    client.put_object(**place, Body=b"PAR1 torn")
    upload = client.create_multipart_upload(**place)["UploadId"]
    client.upload_part(**place, UploadId=upload, PartNumber=1, Body=PIECE)
    _kill(args)


def _database_error(_: tuple[Any, ...]) -> NoReturn:
    import psycopg

    raise psycopg.OperationalError("struck")


def _cut_off(args: tuple[Any, ...]) -> None:
    args[0].execute("SELECT pg_terminate_backend(pg_backend_pid())")


FAULTS: dict[str, Callable[[tuple[Any, ...]], None]] = {
    KILL: _kill,
    FATAL: _fail,
    STORE_AWAY: _store_away,
    STORE_BUSY: _store_busy,
    TORN: _tear,
    DATABASE_ERROR: _database_error,
    CUT_OFF: _cut_off,
}
