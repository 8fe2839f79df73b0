"""What is no event goes to those whose reports start on it, and can be sent again."""

from __future__ import annotations

import asyncio
import json
from contextlib import closing

import pytest

from reporting import AlertByEmail, UpstreamEvent
from reporting.airflow_edge.dead_letter_watch import _alerts_of
from reporting.airflow_edge.uncollected_letters import uncollected
from reporting.core.run import RunId
from reporting.core.service.broker import Broker
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.service.event_queue import announcements
from reporting.core.warehouse.dead_letters import DeadLetter, Wanted, backlogs
from reporting.core.warehouse.reports import remember_report
from reporting.errors import InputError
from reporting.queues import DEAD
from tests.integration.dead_messages import collected, set_aside
from tests.integration.message_service import publish, waiting
from tests.specimens import a_report

pytestmark = pytest.mark.integration

EVENT = "complaints_loaded"
OTHERWISE = [AlertByEmail(to=["all@example.com"])]
ALERTS = [AlertByEmail(to=["own@example.com"])]


def nobody(_: RunId) -> None:
    """Say that no run works."""


def started(letters: DeadLetters, name: str, queue: str) -> None:
    """Run a report that starts on the event, so that it is known."""
    report = a_report(name=name, starts_on=[UpstreamEvent(EVENT, queue=queue)], alerts=ALERTS)
    remember_report(letters.warehouse, report)


def told(broker: Broker, queue: str, body: bytes) -> None:
    """Send to the queue, and let its watcher read that."""
    with closing(announcements(broker, queue, EVENT)) as steps:
        next(steps)
        with broker.channel() as channel:
            publish(channel, queue, body)
        next(steps)


def garbage(broker: Broker, letters: DeadLetters, queue: str) -> DeadLetter:
    told(broker, queue, b"not json")
    (letter,) = collected(broker, letters)
    return letter


def test_f55_what_is_no_event_belongs_to_the_report_that_starts_on_it(
    broker: Broker, letters: DeadLetters, queue: str
) -> None:
    started(letters, "complaints", queue)

    letter = garbage(broker, letters, queue)

    assert (letter.report, letter.event, letter.run_id) == ("complaints", EVENT, None)
    assert letters.listed(Wanted(readable=["complaints"])) == [letter]
    (backlog,) = backlogs(letters.warehouse)
    assert (backlog.reports, backlog.count) == (("complaints",), 1)


def test_a_report_whose_first_message_is_no_event_gets_it_with_its_first_run(
    broker: Broker, letters: DeadLetters, queue: str
) -> None:
    assert garbage(broker, letters, queue).report is None
    started(letters, "complaints", queue)

    (letter,) = collected(broker, letters)

    assert letter.report == "complaints"


def test_where_several_reports_start_on_it_all_are_told(
    broker: Broker, letters: DeadLetters, queue: str
) -> None:
    """Who may see one report need not see the other, so the letter is nobody's alone."""
    for name in ("b", "a"):
        started(letters, name, queue)
    letter = garbage(broker, letters, queue)
    set_aside(broker, b"else", queue="unheard of", reason="no JSON")
    collected(broker, letters)

    found = {backlog.newest.queue: backlog for backlog in backlogs(letters.warehouse)}

    assert letter.report is None
    assert (found[queue].reports, found[queue].newest) == (("a", "b"), letter)
    assert found["unheard of"].reports == ()
    own = _alerts_of(letters.warehouse, found[queue].reports, OTHERWISE)
    assert own == ALERTS * 2
    assert _alerts_of(letters.warehouse, found["unheard of"].reports, OTHERWISE) == OTHERWISE


def test_what_the_broker_gave_up_on_the_queue_of_an_event_is_known_as_one(
    broker: Broker, letters: DeadLetters, queue: str
) -> None:
    started(letters, "complaints", queue)
    set_aside(broker, b"x", queue=queue, reason="its queue was full")

    (letter,) = collected(broker, letters)

    assert (letter.report, letter.event) == ("complaints", EVENT)


def test_one_is_sent_again_to_its_queue_and_comes_back_counted_if_it_is_none_still(
    broker: Broker, letters: DeadLetters, queue: str
) -> None:
    letter = garbage(broker, letters, queue)

    letters.replay(broker, letter.dead_letter_id, nobody)

    assert letters.listed(Wanted()) == []
    waiting(broker, queue, 1)
    with closing(announcements(broker, queue, EVENT)) as steps:
        next(steps)
    (again,) = collected(broker, letters)
    assert (again.dead_letter_id, again.tries) == (letter.dead_letter_id, 2)


def test_one_whose_queue_is_gone_is_refused_in_words_of_events(
    broker: Broker, letters: DeadLetters, queue: str
) -> None:
    letter = garbage(broker, letters, queue)
    with broker.channel() as channel:
        channel.queue_delete(queue)

    with pytest.raises(InputError) as refusal:
        letters.replay(broker, letter.dead_letter_id, nobody)

    assert f"queue '{queue}' is gone, so no report waits for event '{EVENT}'" in str(refusal.value)
    assert "fetch" not in str(refusal.value)
    assert letters.one(letter.dead_letter_id).state == "waiting"


def test_those_on_the_broker_still_are_counted(
    broker: Broker, letters: DeadLetters, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = {"conn_type": "generic", "host": broker.host, "port": broker.port}
    where |= {"login": broker.login, "password": broker.password, "schema": broker.vhost}
    monkeypatch.setenv("AIRFLOW_CONN_REPORTS_BROKER", json.dumps(where))
    for body in (b"1", b"2"):
        set_aside(broker, body, reason="no JSON")
    waiting(broker, DEAD, 2)

    assert asyncio.run(uncollected()) == 2
    collected(broker, letters)
    assert asyncio.run(uncollected()) == 0

    monkeypatch.setenv("AIRFLOW_CONN_REPORTS_BROKER", json.dumps({**where, "port": 1}))
    assert asyncio.run(uncollected()) is None
