"""One sweep of the janitor over many failed runs: whoever does not answer holds up its own only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from embedded_stack.stack import Stack
from reporting import RunRetry
from reporting.airflow_edge import janitor, mail, requests
from reporting.airflow_edge.janitor import sweep_failed_runs
from reporting.core.run_retry import Plan
from reporting.core.saga import Places
from reporting.core.sweep import Sweep
from reporting.core.warehouse.run_retries import decide, is_janitor_away
from reporting.core.warehouse.runs import is_open
from reporting.definition.delivery import AlertByEmail, AlertBySlack
from reporting.errors import TransientError
from tests.airflow_home import use_own_home
from tests.integration.failed_runs import Ground, connection, ground
from tests.integration.silent_server import SilentServer, silent_server
from tests.specimens import a_report

pytestmark = pytest.mark.integration

LISTINGS = ["dags", "dags/~/dagRuns"]
SENT = "SELECT count(*) FROM reporting.receipt WHERE channel = %s AND is_sent"


@pytest.fixture
def here(
    database: str, places: Places, stack: Stack, report_name: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Ground]:
    """Return an Airflow without failed runs; their report tells by chat."""
    use_own_home()
    store = "AIRFLOW_CONN_REPORT_STORE"
    monkeypatch.setenv(store, stack.environment()[store])
    monkeypatch.setattr(janitor, "Sweep", partial(Sweep, bearable=0.2))
    report = replace(
        a_report(alerts=[AlertBySlack("chat")], retry_run=RunRetry(1)), name=report_name
    )
    with ground(report, database, places) as found:
        yield found


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentServer]:
    """Return a service that takes connections and never answers; it has less time for it."""
    monkeypatch.setattr(requests, "READ_SECONDS", 0.4)
    with silent_server() as server:
        monkeypatch.setenv("AIRFLOW_CONN_SILENT", connection("http", "127.0.0.1", server.port))
        yield server


def swept(here: Ground) -> dict[str, int]:
    here.airflow.asked.clear()
    here.airflow.looked.clear()
    return sweep_failed_runs(here.airflow.context, [])


def test_a_service_that_never_answers_is_waited_for_once_in_a_sweep(
    here: Ground, chat: list[str], silent: SilentServer
) -> None:
    """It holds up its own runs; the others are undone, told, or run again."""
    asking = [here.fails(f"asking_{number}", "silent") for number in range(5)]
    here.fails("plain")
    again = here.fails("again")
    decide(here.warehouse, again, Plan(0, 1, datetime.now(UTC), None))

    with pytest.raises(TransientError) as fault:
        swept(here)

    assert len(silent.taken) == 1
    assert str(fault.value).count("did not answer earlier in this sweep") == len(asking) - 1
    assert here.claims() == []
    assert here.airflow.cleared == ["again"]
    assert len(chat) == 1
    assert "plain" in chat[0]
    assert not is_janitor_away(here.warehouse)


def test_a_mail_server_that_never_answers_is_waited_for_once_after_all_else(
    here: Ground, chat: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "TIMEOUT_SECONDS", 1)
    mails = AlertByEmail(to=["ann@x.test", "bob@x.test"], conn_id="post")
    here.warehouse.execute("DELETE FROM reporting.report")
    for number in range(4):
        here.fails(f"run_{number}")
    again = here.fails("again")
    decide(here.warehouse, again, Plan(0, 1, datetime.now(UTC), None))
    with silent_server() as server:
        plain = {"disable_ssl": True, "disable_tls": True, "from_email": "reports@x.test"}
        post = connection("smtp", "127.0.0.1", server.port, **plain)
        monkeypatch.setenv("AIRFLOW_CONN_POST", post)
        with pytest.raises(TransientError, match="alert by email"):
            sweep_failed_runs(here.airflow.context, [mails, AlertBySlack("chat")])

        assert len(server.taken) == 1
    assert here.claims() == []
    assert here.airflow.cleared == ["again"]
    assert len(chat) == 4
    assert not is_janitor_away(here.warehouse)


@pytest.mark.parametrize("status", [404, 500])
def test_a_run_that_cannot_be_read_keeps_no_other_from_being_settled(
    here: Ground, chat: list[str], status: int
) -> None:
    """Of one without a version of its DAG Airflow tells no tasks: it is settled all the same."""
    here.fails("one")
    here.fails("broken")
    here.fails("two")
    here.airflow.broken["broken"] = status
    if status == 500:
        with pytest.raises(TransientError, match="broken: TransientError"):
            swept(here)
    else:
        swept(here)

    assert here.claims() == (["broken"] if status == 500 else [])
    assert len(chat) == (2 if status == 500 else 3)


def test_of_settled_runs_nobody_is_asked_again(here: Ground, chat: list[str]) -> None:
    for number in range(3):
        here.fails(f"run_{number}")
    assert swept(here) == {"failed": 3}
    assert set(here.airflow.looked) == set(here.airflow.ended)

    here.fails("new")
    assert swept(here) == {"failed": 4}
    assert set(here.airflow.looked) == {"new"}
    assert swept(here) == {"failed": 4}
    assert here.airflow.asked == LISTINGS
    assert here.airflow.looked == []
    assert len(chat) == 4


def test_what_is_not_told_yet_is_tried_again(
    here: Ground, chat: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here.fails("run")
    with monkeypatch.context() as patch:
        patch.setenv("AIRFLOW_CONN_CHAT", connection("slackwebhook", "http://127.0.0.1:1"))
        with pytest.raises(TransientError, match="alert by slack"):
            swept(here)
    swept(here)

    assert len(chat) == 1
    assert here.warehouse.execute(SENT, ("slack",)).fetchone() == (1,)


def test_a_sweep_whose_time_is_over_ends_in_order(
    here: Ground, chat: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here.fails("one")
    here.fails("two")
    with monkeypatch.context() as patch:
        patch.setattr(janitor, "UNDOING", timedelta(0))
        with pytest.raises(TransientError, match="2 failed runs were not undone"):
            swept(here)

    assert not is_janitor_away(here.warehouse)
    assert here.claims() == ["one", "two"]
    swept(here)
    assert here.claims() == []
    assert len(chat) == 2


def test_what_a_process_has_left_after_its_run_was_settled_is_undone(
    here: Ground, chat: list[str]
) -> None:
    run = here.fails("run")
    swept(here)
    here.warehouse.execute("UPDATE reporting.staged_run SET keep_until = NULL")
    swept(here)

    assert not is_open(here.warehouse, run)
    assert set(here.airflow.looked) == {run.run_id}
    assert len(chat) == 1


def test_a_sweep_that_does_not_come_to_its_end_does_not_count_as_work(
    here: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW_CONN_AIRFLOW_API", connection("http", "http://127.0.0.1:1"))
    with pytest.raises(TransientError, match="does not answer"):
        swept(here)

    assert is_janitor_away(here.warehouse)
