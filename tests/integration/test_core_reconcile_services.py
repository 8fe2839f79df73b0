"""Requests, reply queues and dead letters that runs have left behind are found and ended (R20)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from reporting.core.reconcile.difference import Scope
from reporting.core.reconcile.passes import reconcile, repair
from reporting.core.service.asking import end_request
from reporting.core.service.broker import Broker, count_replies, reply_queue
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.service.inbox import Inbox
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.warehouse.dead_letters import FOLDER, payload_key
from reporting.errors import TransientError
from tests.integration.dead_messages import collected, open_record, send_asked, set_aside
from tests.integration.reconciling import LATER, World

pytestmark = pytest.mark.integration


class Service:
    """Takes back what was asked of it, unless it is away."""

    def __init__(self) -> None:
        self.is_away = False
        self.cancelled: list[str] = []

    def canceller(self, _: object) -> Callable[[RequestRecord], None]:
        """Return what cancels a request."""

        def cancel(record: RequestRecord) -> None:
            if self.is_away:
                raise TransientError("The service is away.")
            self.cancelled.append(record.source)

        return cancel


@pytest.fixture
def service(world: World) -> Service:
    found = Service()
    world.places = replace(world.places, canceller=found.canceller)
    return found


def test_a_request_of_a_published_run_that_is_still_open_is_taken_back(
    world: World, service: Service
) -> None:
    run, _ = world.publishes()
    records = RequestRecords(world.places.staging, run.id)
    records.write(open_record(run.id))

    assert world.found(grace=timedelta(hours=1)) == []
    (found,) = world.found()
    assert (found.kind, found.rule) == ("open request", "cancel")
    assert "source orders at broker" in found.what

    service.is_away = True
    failed = repair(world.here, Scope(grace=LATER), [found])
    assert not failed.differences
    assert "The service is away." in failed.unseen[0]
    assert world.kinds() == ["open run"]  # until the service takes it back

    service.is_away = False
    assert len(world.repaired()) == 1
    assert service.cancelled == ["orders"]
    assert world.found() == []


def test_a_request_of_a_run_under_way_is_let_be(world: World, service: Service) -> None:
    run = world.starts()
    RequestRecords(world.places.staging, run.id).write(open_record(run.id))

    assert world.found() == []
    assert world.repaired() == []
    assert service.cancelled == []


def test_an_orphan_is_removed_only_when_its_request_is_taken_back(
    world: World, service: Service
) -> None:
    run = world.starts()
    world.places.warehouse.execute("DELETE FROM reporting.staged_run")
    world.places.warehouse.execute("DELETE FROM reporting.claim")
    RequestRecords(world.places.staging, run.id).write(open_record(run.id))
    world.vanishes(run)
    found = world.found()
    assert [one.kind for one in found] == ["orphaned staging"]

    service.is_away = True
    assert "The service is away." in repair(world.here, Scope(grace=LATER), found).unseen[0]
    assert world.found() == found

    service.is_away = False
    assert world.repaired() == found
    assert (service.cancelled, world.found()) == (["orders"], [])


def test_what_is_no_request_record_is_named(world: World) -> None:
    run, _ = world.publishes()
    world.places.staging.put(RequestRecords(world.places.staging, run.id).where("orders"), b"{")

    (found,) = world.found()

    assert (found.kind, found.rule) == ("request record", "decide")
    assert found.what in found.advice


def test_the_reply_queue_of_a_request_that_has_ended_is_removed(
    world: World, broker: Broker
) -> None:
    world.broker = broker
    run, _ = world.publishes()
    records = RequestRecords(world.places.staging, run.id)
    record = open_record(run.id)
    end_request(records, record, "collected")
    key = record.key(run.id.task_key)
    assert world.found() == []
    send_asked(broker, Inbox(records.bucket, run.id, "orders", key), "elsewhere")

    (found,) = world.found()
    assert (found.kind, found.what, found.rule) == ("reply queue", reply_queue(key), "remove")
    assert world.repaired() == [found]

    with broker.channel() as channel:
        assert count_replies(channel, key) is None
    assert world.found() == []


def test_a_broker_that_is_away_is_told_and_hides_nothing(world: World, broker: Broker) -> None:
    world.broker = replace(broker, port=1)
    run, release = world.publishes()
    end_request(RequestRecords(world.places.staging, run.id), open_record(run.id), "collected")
    world.places.reports.delete([release.files[0]])

    findings = reconcile(world.here, Scope(grace=LATER))

    assert [one.kind for one in findings.differences] == ["file"]
    assert len(findings.unseen) == 1
    assert "Broker" in findings.unseen[0]


# --- dead letters


@pytest.fixture
def dead(world: World, broker: Broker) -> DeadLetters:
    """Two dead letters with their messages."""
    letters = DeadLetters(world.places.warehouse, world.places.staging)
    for body in (b"one", b"two"):
        set_aside(broker, body, queue="q", reason="of a test")
    assert len(collected(broker, letters)) == 2
    return letters


def test_a_dead_letter_whose_message_is_gone_is_named(world: World, dead: DeadLetters) -> None:
    assert world.found() == []
    letter = dead.one(1)
    world.places.staging.delete([letter.payload])

    (found,) = world.found()
    assert (found.kind, found.what) == ("dead letter", "message of dead letter 1")
    assert (found.rule, found.advice) == ("decide", "reports dead-letters discard 1")

    dead.discard(1)
    assert world.found() == []


def test_a_message_without_a_letter_is_removed(world: World, dead: DeadLetters) -> None:
    key = payload_key(hashlib.sha256(b"three").hexdigest(), "q")
    for name in (key, f"{FOLDER}readme.txt"):
        world.places.staging.put(name, b"three")

    assert world.found(grace=timedelta(hours=1)) == []
    assert world.found(report=world.report.name) == []
    assert [(one.kind, one.rule) for one in world.repaired()] == [("orphaned message", "remove")]

    assert key not in set(world.places.staging.keys(FOLDER))
    assert dead.message(dead.one(2))
    assert len(list(world.places.staging.keys(FOLDER))) == 3
    assert world.found() == []
