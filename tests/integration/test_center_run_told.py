"""What is told of a run besides its way: its checks, and what was decided about it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import psycopg
import pytest

from embedded_stack.stack import Stack
from report_center.records.checks import Kind
from report_center.records.published import life_of
from report_center.records.run_list import one_run
from report_center.records.run_page import run_view
from reporting.core.run_retry import Plan
from reporting.core.warehouse.run_retries import decide
from tests.integration.many_known_runs import OURS, known_runs
from tests.integration.metadata import Metadata


@pytest.fixture(scope="module")
def known(stack: Stack) -> Iterator[Metadata]:
    with known_runs(stack) as found:
        yield found


def test_whether_a_failed_run_is_run_again_is_known_as_it_is_now(known: Metadata) -> None:
    known.execute(
        "INSERT INTO xcom (dag_run_id, task_id, map_index, key, dag_id, run_id, value, timestamp) "
        "SELECT id, 'compensate', -1, 'run_again', dag_id, run_id, '\"1 of 3 times\"', now() "
        "FROM dag_run WHERE run_id = 'run_60'"
    )
    with known.looking() as (session, elsewhere):
        run = one_run(session, elsewhere, OURS, "run_60")
        assert run is not None
    plan = Plan(0, 3, datetime(2024, 5, 1, tzinfo=UTC), "a person marked it")
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        decide(warehouse, life_of(run), plan)
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_60")
    assert found is not None
    assert (found.plan, found.again) == (plan, "1 of 3 times")


def test_the_checks_of_a_release_are_those_of_its_definition(known: Metadata) -> None:
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_4")
        failed = run_view(session, elsewhere, OURS, "run_20")
    assert found is not None
    assert failed is not None
    kinds = [(check.kind, check.about) for check in found.checks]
    assert (Kind.ROWS, "orders") in kinds
    assert (Kind.KEY, "totals") in kinds
    (rows,) = [check.values for check in found.checks if check.kind is Kind.ROWS]
    assert rows == {"rows": 1000, "least": 1}
    assert failed.checks == ()
