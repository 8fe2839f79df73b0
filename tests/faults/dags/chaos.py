"""The DAGs of the harness's own reports."""

from __future__ import annotations

from tests.faults.reports import REPORTS

from reporting.airflow_edge.dag import build_dag

chaos_tables, chaos_drop, chaos_job, chaos_callback = map(build_dag, REPORTS)
