"""The report center asks as often for many reports and runs as for few."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import pytest
from benchmarks.many_runs import Many

from embedded_stack.stack import Stack
from report_center.records.already import answered_by
from report_center.records.asked import Asked
from report_center.records.overview import today
from report_center.records.reports import report, reports
from report_center.records.run_list import runs
from report_center.records.run_page import progress, run_view
from report_center.records.runs import RunsWanted
from report_center.records.wellbeing import health
from tests.integration.metadata import Metadata, airflow_tables, metadata

NOW = datetime.now(UTC)
MOST = 15
FEW, MORE = Many(reports=3, runs=51), Many(reports=39, runs=1170)
LOOKS: dict[str, Any] = {
    "today": lambda s, e: today(s, e, NOW),
    "reports": lambda s, _: reports(s),
    "runs": lambda s, e: runs(s, e, RunsWanted()),
    "runs of a report": lambda s, e: runs(s, e, RunsWanted(report="report_0001")),
    "failed runs": lambda s, e: runs(s, e, RunsWanted(state="FAILED")),
    "good runs": lambda s, e: runs(s, e, RunsWanted(state="SUCCESS")),
    "fetching runs": lambda s, e: runs(s, e, RunsWanted(state="FETCHING_DATA")),
    "runs of a period": lambda s, e: runs(s, e, RunsWanted(period_from="2024-01-01")),
    "runs of one's own": lambda s, e: runs(s, e, RunsWanted(triggered_by="somebody")),
    "one run": lambda s, e: run_view(s, e, "report_0002", "run_40"),
    "progress": lambda s, _: progress(s, "report_0002", "run_1"),
    "health": lambda s, e: health(s, e, NOW),
    "is it answered": lambda s, e: answered_by(
        s, e, _known(s), Asked(None, {}, refresh=False), NOW
    ),
}


def _known(session: Any) -> Any:
    return report(session, "report_0002")


@pytest.fixture(scope="module")
def both(stack: Stack) -> Iterator[tuple[Metadata, Metadata]]:
    """Few reports and runs, and more of both."""
    with ExitStack() as opened:
        template = opened.enter_context(airflow_tables(stack))
        few, more = (opened.enter_context(metadata(stack, template, n)) for n in (FEW, MORE))
        yield few, more


@pytest.mark.parametrize("look", LOOKS)
def test_the_number_of_queries_does_not_grow(both: tuple[Metadata, Metadata], look: str) -> None:
    few, more = (one.count(LOOKS[look]) for one in both)
    assert few == more <= MOST
