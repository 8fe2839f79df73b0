"""A report starts when something happened upstream; none is lost, none is answered twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from embedded_stack import broker_api
from embedded_stack.layout import CHECKOUT
from embedded_stack.stack import Stack
from reporting.announcements import Announcement, announcement_bytes
from reporting.core.airflow_api import run_path
from reporting.core.service.broker import Broker
from tests.docs_pages import blocks
from tests.e2e.live import Live, eventually

PAGE = CHECKOUT / "docs" / "how-to" / "start-on-an-event.md"
QUEUE = "flights.announced"
RELEASES = "SELECT run_id FROM reporting.release WHERE report = %s AND period = %s ORDER BY version"


@pytest.fixture(scope="module")
def broker(live: Live) -> Broker:
    """The broker of the stack."""
    known = live.connection("REPORTS_BROKER")
    return Broker(known["host"], known["port"], known["login"], known["password"], known["schema"])


def tell(live: Live, **extra: Any) -> None:
    body = {"asset_id": asset_id(live, "flights_loaded"), "extra": extra}
    live.api.post("assets/events", body)


def asset_id(live: Live, name: str) -> int:
    def look() -> int | None:
        assets = live.api.pages("assets", "assets", name_pattern=name)
        return next((int(asset["id"]) for asset in assets if asset["name"] == name), None)

    return eventually(f"asset {name}", look)


def published(live: Live, report: str, period: str) -> list[str]:
    """Wait for a release; return the runs of all there are."""

    def look() -> list[str]:
        if live.rows("SELECT to_regclass('reporting.release')") == [(None,)]:
            return []  # nothing was ever published
        return [run_id for (run_id,) in live.rows(RELEASES, report, period)]

    return eventually(f"{report} {period}", look)


def announce(broker: Broker, body: bytes) -> None:
    """Send to the queue, once the watcher has made it."""
    import pika

    eventually("the watcher's queue", lambda: has_queue(broker))
    with broker.channel() as channel:
        properties = pika.BasicProperties(delivery_mode=2)
        channel.basic_publish("", QUEUE, body, properties, mandatory=True)


def has_queue(broker: Broker) -> bool:
    from pika.exceptions import ChannelClosedByBroker

    with broker.channel() as channel:
        try:
            channel.queue_declare(QUEUE, passive=True)
        except ChannelClosedByBroker:
            return False
    return True


def dead_letters(live: Live) -> list[tuple[str, str]]:
    """Return report and reason of the queue's dead letters, once the janitor has collected them."""
    live.janitor()
    return live.rows("SELECT report, reason FROM reporting.dead_letter WHERE queue = %s", QUEUE)


def runs_of(live: Live, report: str) -> set[str]:
    return {run["dag_run_id"] for run in live.api.pages(f"dags/{report}/dagRuns", "dag_runs")}


def all_ended(live: Live, report: str) -> dict[str, str]:
    """Wait until no run of a report is under way; return the state of each."""

    def look() -> dict[str, str] | None:
        runs = list(live.api.pages(f"dags/{report}/dagRuns", "dag_runs"))
        states = {run["dag_run_id"]: run["state"] for run in runs}
        return states if set(states.values()) <= {"success", "failed"} else None

    return eventually(f"the end of all runs of {report}", look)


@contextmanager
def paused(live: Live, report: str) -> Iterator[None]:
    live.api.patch(f"dags/{report}", {"is_paused": True})
    try:
        yield
    finally:
        live.api.patch(f"dags/{report}", {"is_paused": False})


@pytest.fixture(scope="module", autouse=True)
def slept_through(live: Live, stack: Stack, broker: Broker) -> str:
    """An event that came while its report was paused, and whose watcher was killed then.

    It is told again after a minute, in which other tests do their work.
    """
    period = "2013-02-12"
    with paused(live, "announced"):
        announce_and_kill(live, stack, broker, period)
    return period


def test_an_event_over_rest_starts_a_run_with_its_period(live: Live) -> None:
    """And R9: one chat is told of the release; the other is away, which the run only notes."""
    tell(live, period="2013-02-01")

    (run_id,) = published(live, "told", "2013-02-01")

    assert live.ended("told", run_id) == "success"
    assert live.api.run("told", run_id)["triggered_by"] == "asset"
    figures = live.rows("SELECT count(*) FROM results.told__flown WHERE period = '2013-02-01'")
    assert figures[0][0] > 0
    title = "[published] Upstream told (told), 2013-02-01, version 1"
    (notice,) = eventually("the notice", lambda: live.slacks(title))
    assert "Rows: flown " in notice
    log = live.api.get(f"{run_path('told', run_id)}/taskInstances/store/logs/1")
    assert "Notices: 1 sent, 1 dropped (1 " in str(log)


def test_events_at_once_are_answered_one_by_one(live: Live) -> None:
    """Airflow makes one run of some of them, and leaves out others."""
    days = [f"2013-02-{day:02d}" for day in range(2, 6)]
    for day in days:
        tell(live, period=day)

    runs = [published(live, "told", day) for day in days]

    assert [len(found) for found in runs] == [1] * len(days)
    assert set(all_ended(live, "told").values()) == {"success"}


def test_an_event_told_again_starts_nothing_more(live: Live) -> None:
    tell(live, id="load 7", period="2013-02-08", params={"carrier": "UA"})
    (run_id,) = published(live, "told", "2013-02-08")
    assert live.ended("told", run_id) == "success"

    tell(live, id="load 7", period="2013-02-08", params={"carrier": "UA"})
    tell(live, period="2013-02-09")

    published(live, "told", "2013-02-09")
    assert set(all_ended(live, "told").values()) == {"success"}
    assert published(live, "told", "2013-02-08") == [run_id]
    told = "SELECT params->>'carrier' FROM reporting.release WHERE run_id = %s"
    assert live.rows(told, run_id) == [("UA",)]


def test_an_event_told_while_a_run_works_waits_and_gets_a_version_of_its_own(live: Live) -> None:
    """That run may have read its source before; the wait takes no try."""
    day = "2013-02-16"
    with live.operations_owner() as owner, owner.transaction():
        owner.execute("LOCK TABLE flights")  # the fetch comes no further
        first = live.trigger("told", period=day)
        live.await_task("told", first, "fetch_flights", "running")
        before = runs_of(live, "told")
        tell(live, period=day)
        (second,) = eventually("the event's run", lambda: runs_of(live, "told") - before)
        live.await_task("told", second, "init", "up_for_reschedule")

    assert [live.ended("told", run_id) for run_id in (first, second)] == ["success"] * 2
    assert published(live, "told", day) == [first, second]
    assert live.task("told", second, "init")["try_number"] == 1


def test_an_event_that_asks_for_what_is_not_fails_its_run(live: Live) -> None:
    before = set(all_ended(live, "told"))
    tell(live, perod="2013-02-10", id="slip")

    new = eventually(
        "a failed run",
        lambda: [
            r for r, s in all_ended(live, "told").items() if r not in before and s == "failed"
        ],
    )

    (run_id,) = new
    reason = live.failure("told", run_id, "init")
    assert "'flights_loaded'" in reason
    assert "Field 'perod' is unknown; allowed: id, params, period. Did you mean 'period'?" in reason
    assert len(live.mails(run_id)) == 1

    tell(live, period="2013-02-10", id="slip")  # mended, and still the same event
    assert published(live, "told", "2013-02-10") != [run_id]


def test_a_triggerer_killed_while_the_report_is_paused(
    live: Live, stack: Stack, slept_through: str
) -> None:
    """Airflow has noted the event and starts nothing by it: it is told again, to one run."""
    demand_published_once(live, stack, slept_through)


def test_a_message_starts_a_run_and_a_malformed_one_is_set_aside(
    live: Live, stack: Stack, broker: Broker
) -> None:
    """F55: the poison message is among the dead letters, the next one works."""
    announce(broker, b"not json")
    announce(broker, announcement_bytes(Announcement("flights_announced", "batch 1", "2013-02-11")))

    (run_id,) = published(live, "announced", "2013-02-11")

    assert live.ended("announced", run_id) == "success"
    eventually("the message to be acknowledged", lambda: held(stack) == 0)
    assert dead_letters(live) == [("announced", "event 'flights_announced': no JSON")]


def test_a_triggerer_killed_between_telling_and_acknowledging(
    live: Live, stack: Stack, broker: Broker
) -> None:
    """Airflow knows the event, the message comes again: one run publishes, once."""
    announce_and_kill(live, stack, broker, "2013-02-13")

    demand_published_once(live, stack, "2013-02-13")


def test_the_watcher_comes_back_to_a_broker_that_was_away(
    live: Live, stack: Stack, broker: Broker
) -> None:
    kill(stack, "broker")
    announcement = Announcement("flights_announced", "after the broker", "2013-02-14")
    announce(broker, announcement_bytes(announcement))

    (run_id,) = published(live, "announced", "2013-02-14")

    assert live.ended("announced", run_id) == "success"


def announce_and_kill(live: Live, stack: Stack, broker: Broker, period: str) -> None:
    """Kill the watcher once Airflow has noted what it was told."""
    announcement = Announcement("flights_announced", f"batch {period}", period)
    announce(broker, announcement_bytes(announcement))
    asset = asset_id(live, "flights_announced")
    eventually("the event to be noted", lambda: noted(live, asset, announcement.id))
    kill(stack, "airflow-triggerer")


def demand_published_once(live: Live, stack: Stack, period: str) -> None:
    """Demand that one run of all that were started for an event publishes, and none fails."""
    (run_id,) = published(live, "announced", period)
    assert live.ended("announced", run_id) == "success"
    eventually("the message to be acknowledged", lambda: held(stack) == 0)
    assert published(live, "announced", period) == [run_id]
    assert set(all_ended(live, "announced").values()) == {"success"}


def kill(stack: Stack, service: str) -> None:
    """Kill a service without warning and wait until it is back."""
    pid = {found.name: found.pid for found in stack.status()}[service]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    stack.up()


def noted(live: Live, asset: int, name: str) -> bool:
    events = live.api.pages("assets/events", "asset_events", asset_id=asset)
    return any(json.dumps(name) in json.dumps(event["extra"]) for event in events)


def held(stack: Stack) -> int:
    """Return how many messages there are, the one in the watcher's hands included."""
    found = broker_api.call(stack.layout, "GET", f"/queues/{broker_api.VHOST}/{QUEUE}")
    return int(found["messages"])


def test_a_report_with_clock_and_event_can_be_backfilled(live: Live) -> None:
    days = {"from_date": "2013-02-15T00:00:00-05:00", "to_date": "2013-02-15T23:59:59-05:00"}
    live.api.post("backfills", {"dag_id": "announced", "reprocess_behavior": "none", **days})

    (run_id,) = published(live, "announced", "2013-02-15")

    assert run_id.startswith("backfill__")


def test_the_page_tells_events_as_it_says(live: Live, broker: Broker) -> None:
    known = live.connection("AIRFLOW_API")
    login = {"AIRFLOW_USER": known["login"], "AIRFLOW_PASSWORD": known["password"]}
    (shell,) = blocks(PAGE, "sh")
    subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", shell.text],  # noqa: S607 - the one in PATH
        env={**os.environ, **login, "AIRFLOW_URL": live.api.base_url},
        check=True,
    )
    (script,) = blocks(PAGE, "py")
    eventually("the watcher's queue", lambda: has_queue(broker))
    text = script.text.replace("flights.loaded", QUEUE)
    subprocess.run(
        [sys.executable, "-c", text.replace("flights_loaded", "flights_announced")],
        env={**os.environ, "BROKER_URL": url_of(broker)},
        check=True,
    )

    assert len(published(live, "told", "2013-02-20")) == 1
    assert len(published(live, "announced", "2013-02-21")) == 1


def url_of(broker: Broker) -> str:
    return f"amqp://{broker.login}:{broker.password}@{broker.host}:{broker.port}/{broker.vhost}"
