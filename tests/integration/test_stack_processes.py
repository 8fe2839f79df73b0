"""Ending leftovers: exactly the orphans of a dead supervisor, never a bystander."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from embedded_stack import former_life
from embedded_stack.conditions import wait_for
from embedded_stack.errors import StackError
from embedded_stack.former_life import Session
from embedded_stack.lock import exclusive

pytestmark = pytest.mark.integration

# A supervisor of its own session, with a service that has a child in a session of its own.
SUPERVISOR = """
import os, subprocess, sys, time
service = subprocess.Popen([sys.executable, "-c", '''
import subprocess, time
child = subprocess.Popen(["sleep", "60"], start_new_session=True)
print(child.pid, flush=True)
time.sleep(60)
'''], stdout=subprocess.PIPE, text=True)
print(service.pid, service.stdout.readline().strip(), flush=True)
time.sleep(60)
"""
DEAF = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(1, flush=True)
time.sleep(60)
"""


class Family:
    """A supervisor, its service, and the service's child."""

    def __init__(self, home: Path) -> None:
        self.supervisor = psutil.Popen(
            [sys.executable, "-c", SUPERVISOR],
            cwd=home,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.service, self.child = map(int, self.supervisor.stdout.readline().split())
        started = former_life._start_time(self.supervisor.pid)
        assert started is not None
        boot = former_life.BOOT_ID.read_text().strip()
        self.session = Session(boot, self.supervisor.pid, started)

    def kill_supervisor(self) -> None:
        self.supervisor.kill()
        self.supervisor.wait()

    def end(self) -> None:
        for pid in (self.supervisor.pid, self.service, self.child):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


@pytest.fixture
def family(tmp_path: Path) -> Iterator[Family]:
    family = Family(tmp_path)
    yield family
    family.end()


def pids(session: Session | None, home: Path) -> set[int]:
    return {process.pid for process in former_life.leftovers(session, home)}


def test_under_a_living_supervisor_nothing_is_left_over(family: Family, tmp_path: Path) -> None:
    assert pids(family.session, tmp_path) == set()


def test_a_service_that_died_leaves_nothing_of_others(family: Family, tmp_path: Path) -> None:
    os.kill(family.service, signal.SIGKILL)

    # Its child opened a session of its own: no proof that it is ours, so it is left alone.
    assert pids(family.session, tmp_path) == set()


def test_after_the_supervisor_everything_below_it_is_found(family: Family, tmp_path: Path) -> None:
    family.kill_supervisor()

    assert pids(family.session, tmp_path) == {family.service, family.child}


def test_another_home_finds_nothing(family: Family, tmp_path: Path) -> None:
    family.kill_supervisor()

    assert pids(family.session, tmp_path / "other") == set()


def test_a_session_number_in_new_hands_is_left_alone(family: Family, tmp_path: Path) -> None:
    session = family.session
    reused = Session(session.boot, session.leader, session.started - 1)

    assert pids(reused, tmp_path) == set()


def test_a_note_from_before_a_reboot_counts_for_nothing(family: Family, tmp_path: Path) -> None:
    note = tmp_path / "session.json"
    Session("another boot", family.session.leader, family.session.started).note(note)

    assert Session.read(note) is None
    assert pids(None, tmp_path) == set()


def test_one_that_does_not_listen_is_ended_all_the_same() -> None:
    process = psutil.Popen([sys.executable, "-c", DEAF], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()

    former_life.end([process])

    assert process.wait() == -signal.SIGKILL


def test_the_lock_is_free_again_when_its_holder_is_killed(tmp_path: Path) -> None:
    holder = f"""
import time
from pathlib import Path
from embedded_stack.lock import exclusive
with exclusive(Path({str(tmp_path / "lock")!r})):
    print(1, flush=True)
    time.sleep(60)
"""
    process = psutil.Popen(
        [sys.executable, "-c", holder],
        stdout=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    process.stdout.readline()
    waited: list[bool] = []

    def on_wait() -> None:
        waited.append(True)
        process.kill()

    with exclusive(tmp_path / "lock", on_wait):
        assert waited == [True]
    process.wait()


def test_waiting_ends_with_the_message_of_the_caller() -> None:
    with pytest.raises(StackError, match="never came"):
        wait_for(lambda: None, seconds=0.2, otherwise=lambda: "never came")
