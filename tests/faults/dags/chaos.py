"""The DAGs of the harness's own reports."""

from __future__ import annotations

from tests.faults.reports import ALL_REPORTS

from reporting.airflow_edge.dag import build_dag

for report in ALL_REPORTS:
    globals()[report.name] = build_dag(report)
