"""Fills the sources of the harness's own reports before a run."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Sequence
from threading import Thread
from typing import Any

import psycopg

from tests.e2e.live import Live
from tests.faults.ground import Ground
from tests.faults.patience import with_patience
from tests.faults.plan import Plan
from tests.faults.samples import rows_of, sources_of
from tests.faults.subject import Case

LATE_SECONDS, REPLACED_SECONDS = 6.0, 1.5
TABLE = """
CREATE TABLE IF NOT EXISTS chaos_rows
    (report text, source text, period text, id bigint, name text, amount numeric(12,2))
"""
EMPTY = "DELETE FROM chaos_rows WHERE report = %s AND period = %s"
COPY = "COPY chaos_rows (report, source, period, id, name, amount) FROM STDIN"


def make_table(ground: Ground) -> None:
    """Make the table of the source database."""
    with _operations(ground) as connection:
        connection.execute(TABLE)


def stock(ground: Ground, plan: Plan) -> None:
    """Fill all sources of a plan's report for its period."""
    ground.orders.take(plan)
    case = plan.case
    with_patience(lambda: _fill(ground, case))
    if "dropped" in sources_of(case.report):
        _drop(ground.live(), case, [fault.what for fault in plan.service_faults])


def _fill(ground: Ground, case: Case) -> None:
    # A try whose commit was not answered may have filled it.
    with _operations(ground) as connection, connection.cursor() as cursor:
        cursor.execute(EMPTY, (case.report, case.period))
        with cursor.copy(COPY) as copy:
            for source in sources_of(case.report):
                for row in rows_of(case, source):
                    copy.write_row((case.report, source, case.period, *row.values()))


def _operations(ground: Ground) -> psycopg.Connection[Any]:
    return psycopg.connect(ground.stack.dsn("operations", "operations_owner"))


def _drop(live: Live, case: Case, faults: Sequence[str]) -> None:
    if "late" not in faults:
        _put_all(live, case)
    pauses = [LATE_SECONDS] * ("late" in faults) + [REPLACED_SECONDS] * ("replaced" in faults)
    if pauses:
        Thread(target=_put_later, args=(live, case, pauses), daemon=True).start()


def _put_later(live: Live, case: Case, pauses: Sequence[float]) -> None:
    for pause in pauses:
        time.sleep(pause)
        _put_all(live, case)


def _put_all(live: Live, case: Case) -> None:
    """Put the drop in two objects, then its marker, however often the store is killed."""
    rows = rows_of(case, "dropped")
    half = len(rows) // 2
    bodies = {"a.csv": _csv(rows[:half]), "b.csv": _csv(rows[half:]), "_SUCCESS": b""}
    for name, body in bodies.items():
        while not _is_put(live, f"{case.report}/{case.period}/{name}", body):
            time.sleep(1)


def _is_put(live: Live, key: str, body: bytes) -> bool:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        live.s3.put_object(Bucket="landing", Key=key, Body=body)
    except (BotoCoreError, ClientError):
        return False
    return True


def _csv(rows: Sequence[dict[str, Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, ["id", "name", "amount"])
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()
