"""A thousand requests through a broker, services and reports that are killed again and again.

Every good request is staged exactly once, and every poison message is a dead letter with its
reason: none is lost, none is there twice, and no good message is among them.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest

from embedded_stack import broker as broker_service
from embedded_stack import broker_api
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from reporting.core.inputs import read_part
from reporting.core.objects import Bucket
from reporting.core.service.broker import reply_queue
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.service.request_record import RequestRecords
from reporting.core.staging import Staging
from reporting.core.warehouse.dead_letters import DeadLetter, Wanted
from reporting.queues import DEAD, declare_request_queue
from tests.integration.broker_queues import demand_rabbitmq, until_registered, until_up
from tests.integration.hostile_place import Place
from tests.integration.hostile_plan import CONTRADICTION, Plan
from tests.integration.hostile_report import AT_ONCE, is_collected
from tests.integration.message_service import publish, waiting

pytestmark = pytest.mark.integration
PLAN = Plan(seed=4, count=1000)
SERVICES, REPORTS = 2, 2
KILL_BROKER_EVERY, KILL_SERVICE_EVERY = 300, 70  # requests
LIMIT = 600.0  # seconds
REASONS = {CONTRADICTION: "part 1 came before with other rows"}


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A broker of our own, to be killed."""
    demand_rabbitmq()
    stack = Stack(tmp_path_factory.mktemp("victim"), Ports.free(), write=lambda _: None)
    try:
        stack.up([broker_service.NAME])
        yield stack
    finally:
        stack.down()


@pytest.fixture
def place(stack: Stack, victim: Stack, report_name: str, tmp_path: Path) -> Place:
    progress = tmp_path / "progress"
    progress.touch()
    own = stack.layout.home, stack.ports
    return Place(PLAN, report_name, *own, victim.layout.home, victim.ports, progress)


class Crew:
    """Processes that are started again until they end well."""

    def __init__(self, module: str, argv: list[list[str]]) -> None:
        self._argv = [[sys.executable, "-m", f"tests.integration.{module}", *a] for a in argv]
        self.processes = [subprocess.Popen(one) for one in self._argv]
        self.restarts = 0

    def tend(self) -> bool:
        """Start again what was killed; return whether all have ended well."""
        for number, process in enumerate(self.processes):
            if process.poll() not in (None, 0):
                assert process.returncode == -signal.SIGKILL, "it failed by itself"
                self.processes[number] = subprocess.Popen(self._argv[number])
                self.restarts += 1
        return all(process.poll() == 0 for process in self.processes)

    def end(self) -> None:
        """End all of them."""
        for process in self.processes:
            process.kill()
            process.wait()


@contextmanager
def crew(module: str, argv: list[list[str]]) -> Iterator[Crew]:
    found = Crew(module, argv)
    try:
        yield found
    finally:
        found.end()


def kill_broker(victim: Stack) -> None:
    pid = next(s.pid for s in victim.status() if s.name == broker_service.NAME)
    if pid is not None:
        os.kill(pid, signal.SIGKILL)


class Every:
    """Does something each time the work has come so much further."""

    def __init__(self, step: int, act: Callable[[], None]) -> None:
        self._step, self._act = step, act
        self.count = 0

    def look(self, done: int) -> None:
        if done // self._step > self.count:
            self._act()
            self.count += 1


def run_all(victim: Stack, place: Place) -> tuple[int, int, int]:
    """Run everything to its end; return how often broker, services and reports were killed."""
    random, until = Random(PLAN.seed), time.monotonic() + LIMIT  # noqa: S311
    with ExitStack() as crews:
        services = crews.enter_context(crew("hostile_service", [[place.to_text()]] * SERVICES))
        shares = [[place.to_text(), str(n), str(REPORTS)] for n in range(REPORTS)]
        reports = crews.enter_context(crew("hostile_report", shares))
        brokers = Every(KILL_BROKER_EVERY, lambda: kill_broker(victim))
        strikes = Every(KILL_SERVICE_EVERY, lambda: random.choice(services.processes).kill())
        while not reports.tend():
            done = place.progress.read_text().count("done")
            assert time.monotonic() < until, f"only {done} are done"
            services.tend()
            brokers.look(done)
            strikes.look(done)
            time.sleep(0.1)
        until_up(victim)
        until_emptied(services, place)
        return brokers.count, services.restarts, reports.restarts


def until_emptied(services: Crew, place: Place) -> None:
    services.tend()
    waiting(place.broker, place.source.queue, 0)


def test_every_good_request_is_staged_once_and_every_poison_is_a_dead_letter(
    victim: Stack,
    place: Place,
    staging_bucket: Bucket,
    warehouse: psycopg.Connection[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with place.broker.channel() as channel:
        declare_request_queue(channel, place.source.queue)
        for body in PLAN.poison_requests():
            publish(channel, place.source.queue, body)
    for queue in (DEAD, place.source.queue):
        until_registered(victim, queue)

    killed = run_all(victim, place)

    with capsys.disabled():
        print(f"\nbroker, services, reports killed: {killed}")
    assert min(killed) >= 2
    assert [number for number in range(PLAN.count) if not is_staged(place, number)] == []
    assert kept_for_ever(victim) == []
    with place.broker.channel() as channel:
        letters = DeadLetters(warehouse, staging_bucket)
        letters.collect(channel)
    check_letters(place, letters, letters.listed(Wanted(), limit=PLAN.count))


def is_staged(place: Place, number: int) -> bool:
    """Whether the rows of a request are staged, each once, and nothing is left of the asking."""
    bucket, run = place.bucket, place.run(number)
    staging = Staging(bucket, run)
    manifest = staging.manifest(place.source.name)
    assert manifest is not None, f"request {number} is lost"
    tables = [read_part(bucket, part, None, "fetch") for part in manifest.parts]
    rows = [row for table in tables for row in table.to_pylist()]
    assert is_collected(RequestRecords(bucket, run), place.source.name)
    return sorted(rows, key=lambda row: row["id"]) == PLAN.rows(number)


def kept_for_ever(victim: Stack) -> list[str]:
    """Return the reply queues that are still there and do not go by themselves.

    One that is removed in the instant before the broker is killed comes back with it.
    """
    queues = broker_api.call(victim.layout, "GET", f"/queues/{broker_api.VHOST}")
    found = [queue for queue in queues if queue["name"].startswith(reply_queue(""))]
    assert len(found) <= REPORTS * AT_ONCE
    return [queue["name"] for queue in found if "x-expires" not in queue["arguments"]]


def check_letters(place: Place, letters: DeadLetters, found: list[DeadLetter]) -> None:
    """Compare the dead letters with the poison that was sent."""
    bodies = {letter: letters.message(letter) for letter in found}
    requests = [body for body in bodies.values() if body in set(PLAN.poison_requests())]
    assert Counter(requests) == Counter(PLAN.poison_requests())
    replies = {letter: body for letter, body in bodies.items() if letter.run_id}
    assert len(replies) + len(requests) == len(found)
    seen: Counter[int] = Counter()
    for letter, body in replies.items():
        number = int(str(letter.run_id).removeprefix("run"))
        key = letter.queue.rpartition(".")[2]
        kind = PLAN.poisoned.get(number)
        assert kind is not None, f"a good message of request {number} is dead: {letter}"
        assert body == PLAN.poison_bytes(number, key)
        assert REASONS.get(kind, kind) in letter.reason
        assert (letter.report, letter.source) == (place.report, place.source.name)
        seen[number] += 1
    assert seen == Counter(list(PLAN.poisoned))
