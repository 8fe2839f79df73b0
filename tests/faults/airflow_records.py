"""What Airflow has written down about runs; its database is asked, since its API does not tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC
from threading import Lock
from typing import Any

import psycopg

from tests.faults.found import FoundRun
from tests.faults.patience import with_patience

ENDED = ("success", "failed", "upstream_failed", "skipped", "removed")
RUNS = """
SELECT r.dag_id, r.run_id,
    coalesce(r.conf ->> 'period', to_char(r.data_interval_start AT TIME ZONE 'UTC', 'YYYY-MM-DD')),
    r.state, r.clear_number, r.start_date,
    (SELECT x.value #>> '{}' FROM xcom AS x WHERE x.dag_run_id = r.id AND x.key = 'duplicate_of'
        AND x.task_id = 'init' LIMIT 1),
    ARRAY(SELECT t.task_id FROM task_instance AS t WHERE t.dag_id = r.dag_id
        AND t.run_id = r.run_id AND (t.state IS NULL OR NOT t.state = ANY (%(ended)s)))
FROM dag_run AS r WHERE r.dag_id = ANY (%(reports)s)
"""
OF_PERIOD = """
AND coalesce(r.conf ->> 'period', to_char(r.data_interval_start AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
    = %(period)s
"""
TASK = "SELECT state, pid FROM task_instance WHERE dag_id = %s AND run_id = %s AND task_id = %s"


@dataclass
class AirflowRecords:
    """Reads Airflow's database, over one connection for all threads.

    Attributes:
        dsn: how to connect.
    """

    dsn: str = field(repr=False)
    _opened: psycopg.Connection[Any] | None = None
    _opening: Lock = field(default_factory=Lock)

    def close(self) -> None:
        """Close the connection; the next question opens another."""
        with self._opening:
            if self._opened is not None:
                self._opened.close()
            self._opened = None

    def runs(self, reports: Sequence[str]) -> list[FoundRun]:
        """Return all runs of some reports."""
        return self._runs(RUNS, reports=list(reports), ended=list(ENDED))

    def runs_of(self, report: str, period: str) -> list[FoundRun]:
        """Return the runs of a report for a period."""
        return self._runs(RUNS + OF_PERIOD, reports=[report], ended=list(ENDED), period=period)

    def task(self, report: str, run_id: str, task: str) -> tuple[str | None, int | None]:
        """Return state and process of a task."""
        rows = self._ask(TASK, (report, run_id, task))
        return rows[0] if rows else (None, None)

    def _runs(self, query: str, **values: Any) -> list[FoundRun]:
        return [_run(row) for row in self._ask(query, values)]

    def _ask(self, query: str, values: Any) -> list[Any]:
        return with_patience(lambda: self._asked(query, values))

    def _asked(self, query: str, values: Any) -> list[Any]:
        try:
            return self._connection().execute(query.encode(), values).fetchall()
        except psycopg.OperationalError:
            self.close()
            raise

    def _connection(self) -> psycopg.Connection[Any]:
        with self._opening:
            if self._opened is None:
                self._opened = psycopg.connect(self.dsn, connect_timeout=10, autocommit=True)
            return self._opened


def _run(row: tuple[Any, ...]) -> FoundRun:
    report, run_id, period, state, clear_number, started, duplicate_of, under_way = row
    return FoundRun(
        report,
        run_id,
        period,
        state,
        clear_number,
        started.astimezone(UTC).isoformat() if started else "",
        duplicate_of,
        tuple(under_way),
    )
