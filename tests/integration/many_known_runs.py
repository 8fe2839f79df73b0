"""Four reports with 50 runs each in Airflow's own tables, for tests of what is read of them.

Run n is of report 1 + n % 4, and every 50th is under way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.many_runs import Many

from embedded_stack.stack import Stack
from report_center.records.run_list import runs
from report_center.records.runs import RunRow, RunsWanted
from tests.integration.metadata import Metadata, airflow_tables, metadata

MANY = Many(reports=4, runs=200)
OURS = "report_0001"


@contextmanager
def known_runs(stack: Stack) -> Iterator[Metadata]:
    """Make them for the block."""
    with airflow_tables(stack) as template, metadata(stack, template, MANY) as found:
        yield found


def listed(known: Metadata, readable: list[str] | None = None, **wanted: Any) -> list[RunRow]:
    """Return every run, page by page."""
    found: list[RunRow] = []
    before = None
    while True:
        with known.looking() as (session, elsewhere):
            page = runs(session, elsewhere, RunsWanted(**wanted, before=before), readable)
        found += page.runs
        if page.next_before is None:
            return found
        before = page.next_before
