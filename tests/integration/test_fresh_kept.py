"""What a source's newest row was judged by is kept with what was staged, for its release."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from reporting.airflow_edge.steps import stage as stage_module
from reporting.core.arrow import arrow_schema
from reporting.core.freshness import NEWEST, NEWEST_AGE
from reporting.core.intake import Intake
from reporting.core.run import Run
from reporting.core.saga import Places
from reporting.core.staging import Attempt, Staging
from reporting.definition.fresh import Fresh
from tests.integration.edge_context import context_of, report_of
from tests.specimens import a_run, a_source

pytestmark = pytest.mark.integration
NEWEST_AT = datetime(2024, 5, 1, 21, 30, tzinfo=UTC)  # half an hour before the period's end


def test_the_age_of_the_newest_row_is_in_the_manifest(
    places: Places, report_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = a_source(columns={"at": "timestamptz"}, fresh=Fresh("at", within=timedelta(hours=1)))
    run = a_run(report_name, "run")

    @contextmanager
    def warehouse() -> Iterator[Any]:
        yield places.warehouse

    @contextmanager
    def untold(*_: Any) -> Iterator[None]:
        yield

    monkeypatch.setattr(stage_module, "warehouse", warehouse)
    monkeypatch.setattr(stage_module, "staging_bucket", lambda: places.staging)
    monkeypatch.setattr(stage_module, "progress_told", untold)
    context = context_of(run.id) | {"ti": Task(run.id.run_id)}

    def read(_: Run, attempt: Attempt) -> dict[str, Any]:
        rows = [{"at": NEWEST_AT - timedelta(days=1)}, {"at": NEWEST_AT}]
        table = pa.Table.from_pylist(rows, arrow_schema(source.schema))
        Intake(source, attempt).accept(table, [])
        return {"expected_rows": 2}

    stage_module.stage(source, report_of(run.id, source), context, read)

    manifest = Staging(places.staging, run.id).manifest("orders")
    assert manifest is not None
    assert manifest.facts == {
        "expected_rows": 2,
        NEWEST: NEWEST_AT.isoformat(),
        NEWEST_AGE: 1800.0,
    }


class Task(SimpleNamespace):
    """A try of the fetch, as far as it asks Airflow."""

    task_id, dag_id = "fetch_orders", "fetch"

    def __init__(self, run_id: str) -> None:
        super().__init__(run_id=run_id)

    def get_task_states(self, **_: Any) -> dict[str, dict[str, str]]:
        """Return that it is running."""
        return {self.run_id: {"fetch_orders": "running"}}

    def get_dr_count(self, **_: Any) -> int:
        """Return that every run is under way."""
        return 1
