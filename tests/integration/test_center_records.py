"""What the report center reads of runs, on Airflow's own tables and a real warehouse."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from embedded_stack.stack import Stack
from report_center.records.already import answered_by
from report_center.records.asked import Asked
from report_center.records.overview import today
from report_center.records.releases import ReleasesWanted, release, releases
from report_center.records.reports import report, reports
from report_center.records.run_list import one_run, runs
from report_center.records.run_page import progress, run_view
from report_center.records.runs import RunsWanted
from report_center.records.wellbeing import health
from tests.integration.many_known_runs import MANY, OURS, known_runs, listed
from tests.integration.metadata import Metadata


@pytest.fixture(scope="module")
def known(stack: Stack) -> Iterator[Metadata]:
    with known_runs(stack) as found:
        yield found


def test_reports_carry_their_definition(known: Metadata) -> None:
    with known.looking() as (session, _):
        found = reports(session)
        assert [row.name for row in reports(session, ["report_0003", "no_such"])] == ["report_0003"]
        assert report(session, "no_such") is None
    assert len(found) == MANY.reports
    assert found[0].schedule_words == "daily at 06:00 Europe/Berlin"
    assert found[0].sources == ("orders",)
    assert found[0].definition["sources"][0]["kind"] == "PostgresSource"


def test_a_run_is_shown_with_all_that_is_known_of_it(known: Metadata) -> None:
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_4")
        assert run_view(session, elsewhere, OURS, "no_such") is None
        assert run_view(session, elsewhere, "no_such", "run_4") is None
    assert found is not None
    assert (found.run.state, found.run.version) == ("SUCCESS", 1)
    assert [step.name for step in found.steps[:3]] == ["init", "fetch_orders", "await_sources"]
    assert [row.state for row in found.transitions][-1] == "SUCCESS"
    (source,) = found.sources
    assert (source.name, source.rows, source.bytes) == ("orders", 1000, 20000)
    assert found.release is not None
    assert found.release.is_current
    assert [file.name for file in found.release.files] == ["report_totals.csv"]
    assert found.failure is None


def test_a_failed_run_says_why_and_what_to_do(known: Metadata) -> None:
    known.execute(
        "INSERT INTO xcom (dag_run_id, task_id, map_index, key, dag_id, run_id, value, timestamp) "
        "SELECT id, 'compute', -1, 'failure', dag_id, run_id, '\"KeyError: day\"', now() "
        "FROM dag_run WHERE run_id = 'run_20'"
    )
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_20")
    assert found is not None
    assert found.failure is not None
    assert (found.failure.step, found.failure.reason) == ("compute", "KeyError: day")
    assert found.failure.to_clear == ("compute",)


RECEIPT = """
INSERT INTO reporting.receipt (subject, channel, recipient, is_sent, tries, error)
VALUES (%s, %s, %s, %s, %s, %s)
"""


def test_f10_a_mail_that_was_refused_is_seen_beside_what_was_sent(known: Metadata) -> None:
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        (number,) = warehouse.execute(
            "SELECT release_id FROM reporting.release WHERE run_id = 'run_8'"
        ).fetchone() or (0,)
        about = f"release {number}"
        warehouse.execute(RECEIPT, (about, "email", "a@b.test", False, 3, "SMTPError: 550"))
        warehouse.execute(RECEIPT, (f"{about} incomplete", "slack", "chat", True, 1, None))
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_8")
    assert found is not None
    assert found.run.state == "SUCCESS"
    shown = [(d.channel, d.recipient, d.is_alert, d.is_sent, d.error) for d in found.deliveries]
    assert shown == [
        ("email", "a@b.test", False, False, "SMTPError: 550"),
        ("slack", "chat", True, True, None),
    ]


def test_f70_the_alarm_of_a_failed_run_is_seen_once_per_channel(known: Metadata) -> None:
    with known.looking() as (session, elsewhere):
        run = one_run(session, elsewhere, OURS, "run_40")
    assert run is not None
    assert run.started_at is not None
    started = run.started_at.astimezone(UTC).isoformat()
    about = f"failed {OURS} run_40 #0 {started}"
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        warehouse.execute(RECEIPT, (about, "email", "a@b.test", True, 2, None))
        warehouse.execute(RECEIPT, (about, "slack", "chat", True, 1, None))
        warehouse.execute(RECEIPT, (f"{about}0", "slack", "of another life", True, 1, None))
    with known.looking() as (session, elsewhere):
        found = run_view(session, elsewhere, OURS, "run_40")
    assert found is not None
    assert [(d.channel, d.is_alert) for d in found.deliveries] == [("email", True), ("slack", True)]


def test_a_run_under_way_says_how_far_it_is(known: Metadata) -> None:
    known.execute(
        "INSERT INTO task_state_store (dag_run_id, task_id, map_index, key, dag_id, run_id, value, "
        "updated_at) SELECT id, 'fetch_orders', -1, 'progress', dag_id, run_id, "
        "'{\"rows\": 5, \"bytes\": 70}', now() FROM dag_run WHERE run_id = 'run_151'"
    )
    with known.looking() as (session, _):
        found = progress(session, "report_0004", "run_151")
        assert progress(session, OURS, "no_such") is None
    assert found is not None
    assert (found.state, found.sources_ready, found.sources_total) == ("FETCHING_DATA_ORDERS", 0, 1)
    assert [(step.step, step.rows, step.bytes) for step in found.steps] == [("fetch_orders", 5, 70)]
    assert found.expected_end is not None


def test_what_an_earlier_try_has_said_is_over(known: Metadata) -> None:
    known.execute(
        "INSERT INTO task_state_store (dag_run_id, task_id, map_index, key, dag_id, run_id, value, "
        "updated_at) SELECT id, 'fetch_orders', -1, 'progress', dag_id, run_id, '{\"rows\": 5}', "
        "start_date - interval '1 minute' FROM dag_run WHERE run_id = 'run_101'"
    )
    with known.looking() as (session, _):
        found = progress(session, "report_0002", "run_101")
    assert found is not None
    assert found.steps == ()


def test_today_sums_up_thirty_days(known: Metadata) -> None:
    now = datetime.now(UTC)
    with known.looking() as (session, elsewhere):
        found = today(session, elsewhere, now)
    row = next(row for row in found.rows if row.report.name == OURS)
    since = (now - timedelta(days=29)).date()
    ours = [r for r in listed(known, report=OURS) if r.run_after.date() >= since and r.is_over]
    good = [run for run in ours if run.state == "SUCCESS"]
    assert row.success_rate == pytest.approx(len(good) / len(ours))
    assert sum(day.succeeded for day in row.durations) == len(good)
    assert [day.day for day in row.durations] == sorted({run.run_after.date() for run in ours})
    assert all(20 <= (day.seconds or 20) < 60 for day in row.durations)
    assert row.version == 1
    assert row.last is not None
    assert row.last.number == max(run.number for run in listed(known, report=OURS))


def test_what_is_away_is_said_and_the_rest_is_shown(known: Metadata) -> None:
    def away() -> Any:
        raise psycopg.OperationalError("connection to postgres://u:secret@h/db failed")

    now = datetime.now(UTC)
    with known.looking(open_warehouse=away) as (session, elsewhere):
        view = run_view(session, elsewhere, OURS, "run_4")
    assert view is not None
    assert view.run.state == "SUCCESS"
    assert view.release is None
    assert view.unseen[0] == "The report warehouse does not answer (OperationalError)."
    with known.looking(open_warehouse=away) as (session, elsewhere):
        assert len(today(session, elsewhere, now).rows) == MANY.reports
    with known.looking(open_warehouse=away) as (session, elsewhere):
        found = health(session, elsewhere, now)
    assert (found.backlog, found.queues) == (None, None)
    assert len(found.unseen) == 2
    assert found.running == MANY.runs // 50
    assert "secret" not in str(found)


def test_a_warehouse_in_which_nothing_was_made_yet_is_no_fault(
    known: Metadata, database: str
) -> None:
    def empty() -> Any:
        return psycopg.connect(database, autocommit=True)

    with known.looking(open_warehouse=empty) as (session, elsewhere):
        found = runs(session, elsewhere, RunsWanted())
    assert found.unseen == ()
    assert {run.version for run in found.runs} == {None}


def test_a_request_is_answered_by_the_run_that_works_on_it(known: Metadata) -> None:
    now = datetime.now(UTC)
    with known.looking() as (session, elsewhere):
        known_report = report(session, "report_0004")
        working = one_run(session, elsewhere, "report_0004", "run_151")
        assert known_report is not None
        assert working is not None
        same = Asked(working.period, {}, refresh=True)
        found = answered_by(session, elsewhere, known_report, same, now)
        assert found is not None
        assert found.run is not None
        assert found.run.number == working.number
        other = Asked("2013-01-01", {}, refresh=False)
        assert answered_by(session, elsewhere, known_report, other, now) is None


def test_releases_are_listed(known: Metadata) -> None:
    with psycopg.connect(known.warehouse, autocommit=True) as warehouse:
        first = releases(warehouse, ReleasesWanted(report=OURS, limit=3))
        more = releases(
            warehouse, ReleasesWanted(report=OURS, limit=3, before=first[-1].release_id)
        )
        numbers = [one.release_id for one in (*first, *more)]
        assert numbers == sorted(set(numbers), reverse=True)
        assert release(warehouse, numbers[0]) == first[0]
        assert release(warehouse, 2**62) is None
        assert releases(warehouse, ReleasesWanted(is_current=False)) == []
