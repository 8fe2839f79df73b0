"""How far a run is: sources that are ready, of those there are."""

from __future__ import annotations

from typing import Any

import pytest

from report_center.records.progress import run_progress
from tests.center_rows import a_run

pytestmark = pytest.mark.unit


def test_a_source_that_the_dag_no_longer_has_is_not_counted() -> None:
    steps = {
        "init": "success",
        "fetch_orders": "success",
        "fetch_rates": None,
        "fetch_old": "removed",
    }
    nothing_runs: Any = None  # so nothing is asked of the database
    found = run_progress(nothing_runs, a_run("INIT", is_over=False, steps=steps), [], None)
    assert (found.sources_ready, found.sources_total) == (1, 2)
