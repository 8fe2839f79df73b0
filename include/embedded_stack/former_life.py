"""Finding and ending what a crash left running, and nothing else.

All services share the session of their supervisor, and Linux does not give the number of a
session to anybody else while a member lives. Members of that session that do not descend from
a living supervisor have lost their parent: they are leftovers of this stack.
"""

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from embedded_stack.conditions import wait_for
from embedded_stack.errors import StackError
from embedded_stack.private_file import write_private

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
# Position of the start time in /proc/<pid>/stat, counted after the command in brackets.
START_TIME_FIELD = 19
GRACE_SECONDS = 4.0
GONE = (psutil.NoSuchProcess, psutil.AccessDenied, ProcessLookupError, PermissionError)


@dataclass(frozen=True)
class Session:
    """A session of processes, told apart from all others of this machine."""

    boot: str
    leader: int
    started: int

    @classmethod
    def of_this_process(cls) -> "Session":
        """The session the caller runs in."""
        leader = os.getsid(0)
        return cls(BOOT_ID.read_text().strip(), leader, _start_time(leader) or 0)

    @classmethod
    def read(cls, path: Path) -> "Session | None":
        """The session noted at `path`, if it is one of this boot."""
        if not path.exists():
            return None
        session = cls(**json.loads(path.read_text()))
        return session if session.boot == BOOT_ID.read_text().strip() else None

    def note(self, path: Path) -> None:
        """Keep it for whoever has to clean up after a crash."""
        write_private(path, json.dumps(asdict(self)) + "\n")

    def leader_lives(self) -> bool:
        """Whether the process that opened the session still runs."""
        return self.started != 0 and _start_time(self.leader) == self.started


def leftovers(session: Session | None, home: Path) -> set[psutil.Process]:
    """Processes of the session that lost their supervisor, with all their children."""
    if session is None or _number_was_reused(session):
        return set()
    lives = session.leader_lives()
    family = _family(session.leader) if lives else set()
    strays = {
        process
        for process in _members(session)
        if process not in family and (lives or _works_inside(process, home))
    }
    return with_children(strays) - family


def running(program: str, folder: Path) -> set[psutil.Process]:
    """Processes of a native program that work in a folder only that service uses."""
    return {
        process
        for process in psutil.process_iter()
        if _link(process, "exe") == program and _link(process, "cwd") == str(folder)
    }


def end(processes: Iterable[psutil.Process]) -> None:
    """Ask politely, then insist; returns when none runs any more."""
    living = list(processes)
    for process in living:
        with suppress(*GONE):
            process.terminate()
    # With what they started in the meantime: nobody else would end it.
    overdue = list(with_children(set(_still_running(living))))
    for process in overdue:
        with suppress(*GONE):
            process.kill()
    _still_running(overdue)


def has_ended(process: psutil.Process) -> bool:
    """Whether a process runs no more; one that is only not yet collected has ended too."""
    return not process.is_running() or _start_time(process.pid) is None


def _still_running(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Wait for the end of processes; those that outlived the time given to them."""
    with suppress(StackError):
        wait_for(
            lambda: True if all(map(has_ended, processes)) else None,
            seconds=GRACE_SECONDS,
            otherwise=lambda: "processes outlived their time",
        )
    return [process for process in processes if not has_ended(process)]


def _number_was_reused(session: Session) -> bool:
    return _start_time(session.leader) not in (None, session.started)


def _members(session: Session) -> Iterable[psutil.Process]:
    for process in psutil.process_iter():
        with suppress(*GONE):
            if os.getsid(process.pid) == session.leader and not has_ended(process):
                yield process


def _family(pid: int) -> set[psutil.Process]:
    return with_children({psutil.Process(pid)})


def with_children(processes: set[psutil.Process]) -> set[psutil.Process]:
    """The processes and everything below them."""
    found = set(processes)
    for process in processes:
        with suppress(*GONE):
            found.update(process.children(recursive=True))
    return found


def _works_inside(process: psutil.Process, home: Path) -> bool:
    folder = _link(process, "cwd")
    return folder is not None and Path(folder).is_relative_to(home.resolve())


def _link(process: psutil.Process, name: str) -> str | None:
    with suppress(OSError):
        return str(Path(f"/proc/{process.pid}/{name}").readlink())
    return None


def _start_time(pid: int) -> int | None:
    """Clock ticks from boot to the start of a living process."""
    with suppress(OSError):
        state, *rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if state == "Z" else int(rest[START_TIME_FIELD - 1])
    return None
