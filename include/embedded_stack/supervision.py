"""Talking to the supervisor (supervisord) that keeps the services running."""

import os
import subprocess
import sys
import time
import xmlrpc.client
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

import psutil

from embedded_stack import supervisor_config
from embedded_stack.caller import without_foreign
from embedded_stack.conditions import wait_for
from embedded_stack.errors import StackError
from embedded_stack.former_life import has_ended
from embedded_stack.layout import CHECKOUT, Layout
from embedded_stack.ports import LOOPBACK

RUNNING = "RUNNING"
STOPPED_STATES = frozenset({"STOPPED", "EXITED", "FATAL"})
START_SECONDS = 20.0
STOP_SECONDS = 40.0
UNREACHABLE = (OSError, xmlrpc.client.Error)


@dataclass(frozen=True)
class ProcessState:
    """What the supervisor says of one service."""

    name: str
    state: str
    pid: int
    started: float

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        return time.time() - self.started


class Supervisor:
    """The supervisor of one stack."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        password = layout.credentials.supervisor_password
        place = f"{LOOPBACK}:{layout.ports.supervisor}"
        self._address = f"http://{supervisor_config.USER}:{password}@{place}/RPC2"

    @property
    def _calls(self) -> Any:
        """A connection of its own for each call: threads cannot share one."""
        return xmlrpc.client.ServerProxy(self._address).supervisor

    def process(self) -> psutil.Process | None:
        """The supervisor of this very home, if it lives."""
        pid_file = self._layout.run / "supervisord.pid"
        config = str(supervisor_config.config_path(self._layout))
        with suppress(OSError, ValueError, psutil.Error):
            process = psutil.Process(int(pid_file.read_text()))
            if config in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                return process
        return None

    def start(self) -> None:
        """Start it in the background; no service is started by this."""
        config = supervisor_config.config_path(self._layout)
        done = subprocess.run(
            [sys.executable, "-m", "supervisor.supervisord", "-c", str(config)],
            env=without_foreign(os.environ) | {"PYTHONPATH": str(CHECKOUT / "include")},
            cwd=self._layout.home,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise StackError(f"supervisord did not start: {(done.stderr or done.stdout)[-800:]}")
        wait_for(
            lambda: True if self.states() else None,
            seconds=START_SECONDS,
            otherwise=lambda: (
                f"supervisord did not answer on port {self._layout.ports.supervisor} within "
                f"{START_SECONDS:.0f} s. Its log: {self._layout.log / 'supervisord.log'}"
            ),
        )

    def states(self) -> dict[str, ProcessState]:
        """Every service by name; empty when the supervisor does not answer."""
        try:
            answer = cast("list[dict[str, Any]]", self._calls.getAllProcessInfo())
        except UNREACHABLE:
            return {}
        return {
            item["name"]: ProcessState(
                item["name"], item["statename"], item["pid"], float(item["start"])
            )
            for item in answer
        }

    def start_services(self, names: Iterable[str]) -> None:
        """Start what is not running; returns at once."""
        states = self.states()
        for name in names:
            if states[name].state in STOPPED_STATES:
                with suppress(xmlrpc.client.Fault):
                    self._calls.startProcess(name, False)

    def stop_services(self, names: Iterable[str]) -> list[str]:
        """Stop services and wait for their end.

        Returns:
            Those that were running.
        """
        states = self.states()
        stopping = [
            name for name in names if name in states and states[name].state not in STOPPED_STATES
        ]
        for name in stopping:
            with suppress(xmlrpc.client.Fault):
                self._calls.stopProcess(name, False)
        wait_for(
            lambda: True if self._all_stopped(stopping) else None,
            seconds=STOP_SECONDS,
            otherwise=lambda: f"services did not stop in {STOP_SECONDS:.0f} s: {stopping}",
        )
        return stopping

    def shut_down(self) -> None:
        """End the supervisor itself; by force if it does not listen."""
        process = self.process()
        if process is None:
            return
        try:
            self._calls.shutdown()
        except UNREACHABLE:
            process.terminate()  # it listens on another port: its settings have changed
        try:
            wait_for(
                lambda: True if has_ended(process) else None,
                seconds=STOP_SECONDS,
                otherwise=lambda: f"supervisord did not end within {STOP_SECONDS:.0f} s",
            )
        except StackError:
            process.kill()

    def _all_stopped(self, names: Iterable[str]) -> bool:
        states = self.states()
        return all(states[name].state in STOPPED_STATES for name in names if name in states)
