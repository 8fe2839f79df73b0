"""A source is away: a required one fails the run, an optional one is left out and named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from embedded_stack.stack import Stack
from tests.e2e.live import Live

VIEW = "results.airline_on_time__carrier_day"


def test_operations_away_fails_the_run(live: Live) -> None:
    with _refusing_database(live, "operations"):
        run_id = live.trigger("airline_on_time", period="2013-04-01")
        assert live.ended("airline_on_time", run_id) == "failed"
    reason = live.failure("airline_on_time", run_id, "await_sources")
    assert reason.startswith("ContractError: Required source flights: OperationalError")
    assert live.rows("SELECT 1 FROM reporting.release WHERE run_id = %s", run_id) == []
    for told in (live.mails(run_id), live.slacks(run_id)):
        assert len(told) == 1
        assert "Step: fetch_flights" in told[0]
        assert live.connection("OPERATIONS_DB")["password"] not in told[0]


def test_weather_away_is_left_out_and_named(live: Live, stack: Stack) -> None:
    with _stopped(stack, "weather"):
        run_id = live.run("airline_on_time", period="2013-04-02")
    missing = live.rows("SELECT missing FROM reporting.release WHERE run_id = %s", run_id)[0][0]
    assert list(missing) == ["weather"]
    place = f"127.0.0.1:{stack.ports.weather}"
    assert f"GET /observations at {place} failed: connection refused" in missing["weather"]
    subject = "[incomplete] Airline on-time performance, 2013-04-02: without weather"
    assert len(live.mails(subject)) == len(live.slacks(subject)) == 1
    assert live.rows(f"SELECT count(*) > 0 FROM {VIEW} WHERE period = '2013-04-02'") == [(True,)]

    live.clear("airline_on_time", run_id, "fetch_weather")
    assert live.ended("airline_on_time", run_id) == "success"
    latest = live.rows(
        "SELECT version, missing FROM reporting.release WHERE run_id = %s "
        "ORDER BY version DESC LIMIT 1",
        run_id,
    )
    assert latest == [(2, {})]


@contextmanager
def _stopped(stack: Stack, service: str) -> Iterator[None]:
    stack.stop((service,))
    try:
        yield
    finally:
        stack.up()


@contextmanager
def _refusing_database(live: Live, name: str) -> Iterator[None]:
    superuser = live.superuser()
    superuser.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
    superuser.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (name,)
    )
    try:
        yield
    finally:
        superuser.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
        superuser.close()


def test_unknown_connection_fails_at_once_and_says_so(live: Live) -> None:
    run_id = live.trigger("unconnected", period="2013-04-03")
    assert live.ended("unconnected", run_id) == "failed"
    assert live.task("unconnected", run_id, "fetch_flights")["try_number"] == 1
    for told in (live.mails(run_id), live.slacks(run_id)):
        assert len(told) == 1
        assert "Airflow has no connection 'nowhere_db'. Add one of type 'postgres'" in told[0]


def test_an_unknown_pool_fails_at_once_and_one_that_is_made_lets_the_run_go_on(live: Live) -> None:
    run_id = live.trigger("pooled", period="2013-04-04")
    assert live.ended("pooled", run_id) == "failed"
    (mail,) = live.mails(run_id)
    assert "Source 'flights': Airflow has no pool 'few at once'" in mail
    assert live.states("pooled", run_id)["fetch_flights"] == "upstream_failed"

    live.api.post("pools", {"name": "few at once", "slots": 1})
    live.clear("pooled", run_id, "init")

    assert live.ended("pooled", run_id) == "success"
