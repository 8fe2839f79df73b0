"""Fills Airflow's metadata database, and a report warehouse, with many reports and runs.

What is written looks as if Airflow had run the reports: nine in ten runs have succeeded, one in
fifty is under way, the others have failed. The statements work on a database of Airflow's own
tables, as `airflow db migrate` makes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

TASKS = ("init", "fetch_orders", "await_sources", "compute", "store", "deliver", "compensate")
PLACEHOLDER = "report_name"
BUNDLE = "many"
# By the number of a run: the state of the run, and of a task.
RUN_STATE = "CASE WHEN n %% 50 = 1 THEN 'running' WHEN n %% 10 = 0 THEN 'failed' ELSE 'success' END"
TASK_STATE = """
CASE r.state WHEN 'success' THEN CASE t.name WHEN 'compensate' THEN 'skipped' ELSE 'success' END
    WHEN 'failed' THEN CASE WHEN t.place < 4 THEN 'success' WHEN t.name = 'compute' THEN 'failed'
        WHEN t.name = 'compensate' THEN 'success' ELSE 'upstream_failed' END
    ELSE CASE t.place WHEN 1 THEN 'success' WHEN 2 THEN 'running' END END
"""
REPORTS = f"""
INSERT INTO dag_bundle (name) VALUES ('{BUNDLE}') ON CONFLICT DO NOTHING;
CREATE TEMP TABLE many_report AS SELECT n, 'report_' || lpad(n::text, 4, '0') AS name,
    gen_random_uuid() AS version FROM generate_series(1, %(reports)s) AS n;
INSERT INTO dag (dag_id, is_paused, is_stale, bundle_name, timetable_type, partition_mapper_info,
    max_active_tasks, max_active_runs, max_consecutive_failed_dag_runs,
    has_task_concurrency_limits, dag_display_name, description, next_dagrun_create_after)
SELECT name, false, false, '{BUNDLE}', 'cron', '[]', 16, 16, 0, false, 'Report ' || n,
    'Report ' || n, now() + interval '1 hour' FROM many_report;
INSERT INTO dag_tag (name, dag_id) SELECT 'report', name FROM many_report;
INSERT INTO dag_version (id, version_number, dag_id, bundle_name, created_at, last_updated)
SELECT version, 1, name, '{BUNDLE}', now(), now() FROM many_report;
INSERT INTO serialized_dag (id, dag_id, data, created_at, last_updated, dag_hash, dag_version_id)
SELECT gen_random_uuid(), name, replace(%(dag)s, '{PLACEHOLDER}', name)::jsonb, now(), now(),
    md5(name), version FROM many_report;
"""
RUNS = f"""
INSERT INTO dag_run (dag_id, run_id, state, run_type, triggered_by, triggering_user_name, conf,
    run_after, queued_at, start_date, end_date, created_dag_version_id)
SELECT m.name, 'run_' || r.n, state, 'manual',
    CASE WHEN r.n %% 3 = 0 THEN 'UI' ELSE 'TIMETABLE' END,
    CASE WHEN r.n %% 3 = 0 THEN 'somebody' END, '{{}}', at, at, at,
    CASE state WHEN 'running' THEN NULL ELSE at + (20 + r.n %% 40) * interval '1 second' END,
    m.version
FROM (SELECT n, {RUN_STATE} AS state,
        now() - (%(runs)s - n) * (interval '90 days' / %(runs)s) AS at
    FROM generate_series(1, %(runs)s) AS n) AS r
JOIN many_report AS m ON m.n = 1 + r.n %% %(reports)s ORDER BY r.n;
INSERT INTO task_instance (id, task_id, dag_id, run_id, state, try_number, max_tries, pool,
    pool_slots, queued_dttm, start_date, end_date, duration, last_heartbeat_at)
SELECT gen_random_uuid(), name, r.dag_id, r.run_id, state,
    CASE WHEN state IS NULL THEN 0 ELSE 1 END, 3, 'default_pool', 1, begun, begun,
    CASE state WHEN 'running' THEN NULL ELSE ended END, 2,
    CASE state WHEN 'running' THEN now() END
FROM (SELECT r.dag_id, r.run_id, t.name, {TASK_STATE} AS state,
        r.start_date + t.place * interval '2 seconds' AS begun,
        r.start_date + (t.place + 1) * interval '2 seconds' AS ended
    FROM dag_run AS r CROSS JOIN unnest(%(tasks)s::text[]) WITH ORDINALITY AS t (name, place)
    WHERE r.dag_id IN (SELECT name FROM many_report)) AS r;
INSERT INTO xcom (dag_run_id, task_id, map_index, key, dag_id, run_id, value, timestamp)
SELECT id, 'init', -1, 'return_value', dag_id, run_id, jsonb_build_object(
    'report', dag_id, 'run_id', run_id, 'params', '{{}}'::jsonb, 'optional', '[]'::jsonb,
    'period', to_char(run_after AT TIME ZONE 'UTC' - interval '1 day', 'YYYY-MM-DD')), now()
FROM dag_run WHERE dag_id IN (SELECT name FROM many_report);
INSERT INTO xcom (dag_run_id, task_id, map_index, key, dag_id, run_id, value, timestamp)
SELECT id, 'fetch_orders', -1, 'return_value', dag_id, run_id,
    '{{"rows": 1000, "bytes": 20000, "parts": 1, "quarantined": 0}}'::jsonb, now()
FROM dag_run WHERE state <> 'running' AND dag_id IN (SELECT name FROM many_report);
DROP TABLE many_report;
ANALYZE dag, dag_tag, dag_version, serialized_dag, dag_run, task_instance, xcom;
"""
RELEASES = """
INSERT INTO reporting.release (report, period, request_key, version, params, is_default, run_id,
    clear_number, started, fingerprint, row_counts, sources, missing, files, published_at)
SELECT 'report_' || lpad((1 + n %% %(reports)s)::text, 4, '0'), period, period || '-' || n, 1,
    '{}', true, 'run_' || n, 0, '', 'f', '{"totals": 1000}', '{"orders": {"rows": 1000}}', '{}',
    '["report/day/run/a/report_totals.csv"]', at
FROM (SELECT n, at, to_char(at AT TIME ZONE 'UTC' - interval '1 day', 'YYYY-MM-DD') AS period FROM (
    SELECT n, now() - (%(runs)s - n) * (interval '90 days' / %(runs)s) AS at
    FROM generate_series(1, %(runs)s) AS n WHERE n %% 50 <> 1 AND n %% 10 <> 0) AS t) AS r;
INSERT INTO reporting.current_release SELECT report, request_key, release_id
FROM reporting.release WHERE run_id LIKE 'run\\_%%';
ANALYZE reporting.release, reporting.current_release;
"""


@dataclass(frozen=True)
class Many:
    """How much is written.

    Attributes:
        reports: report types, named `report_0001` and so on.
        runs: runs of all of them together, named `run_1` and so on, over the last 90 days.
    """

    reports: int
    runs: int


def write_runs(connection: psycopg.Connection[Any], many: Many, dag: Mapping[str, Any]) -> None:
    """Write reports and runs into Airflow's database.

    Args:
        connection: to that.
        many: how many.
        dag: a DAG as Airflow keeps it, with `report_name` wherever the report's name belongs.
    """
    values = {**vars(many), "dag": json.dumps(dag), "tasks": list(TASKS)}
    _run(connection, REPORTS, values)
    _run(connection, RUNS, values)


def write_releases(connection: psycopg.Connection[Any], many: Many) -> None:
    """Write a release per run that has succeeded into a report warehouse."""
    _run(connection, RELEASES, vars(many))


def _run(connection: psycopg.Connection[Any], script: str, values: Mapping[str, Any]) -> None:
    """Run statements one by one: only so may they have parameters."""
    statements: Sequence[str] = [text for text in script.split(";\n") if text.strip()]
    with connection.transaction():
        for statement in statements:
            connection.execute(statement.encode(), values)
