"""Starting and stopping the supervised processes of one stack, whatever a crash left."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import psutil

from embedded_stack import catalogue, former_life, port_check, store_sockets, supervisor_config
from embedded_stack.called_as import CalledAs
from embedded_stack.launcher import SESSION_FILE
from embedded_stack.layout import Layout
from embedded_stack.ports import Ports
from embedded_stack.private_file import write_private
from embedded_stack.progress import Progress
from embedded_stack.service import LaunchOrder, Service
from embedded_stack.supervision import STOPPED_STATES, Supervisor


@dataclass(frozen=True)
class Control:
    """Brings processes from whatever state they are in to the one that is wanted.

    Attributes:
        layout: the stack.
        progress: takes each step.
        former: where the stack listened before, if it was up.
        called: the command to show again when a port is taken.
    """

    layout: Layout
    progress: Progress
    former: Ports | None = None
    called: CalledAs = field(default_factory=CalledAs)

    @cached_property
    def supervisor(self) -> Supervisor:
        """The supervisor of the stack."""
        return Supervisor(self.layout)

    def demand_startable(self, wanted: Mapping[str, Service]) -> None:
        """Refuse what cannot end well, while nothing has been stopped or written.

        Raises:
            StackError: a port or a file the services need is somebody else's.
        """
        ports = self.layout.ports
        needs = {name: service.ports for name, service in wanted.items()}
        needs["supervisor"] = ("supervisor",)
        port_check.demand_distinct(ports, self.called)
        port_check.demand_free(ports, needs, self.called, self._own_processes)
        store_sockets.demand_replaceable(ports, self.called)

    def make_ready(self, wanted: Mapping[str, Service]) -> None:
        """A supervisor that runs, launch orders that are current, ports that are free.

        Services whose settings have changed are stopped, so that their start uses the new ones.
        """
        config = supervisor_config.render(self.layout, catalogue.all_services(self.layout).values())
        path = supervisor_config.config_path(self.layout)
        if not path.exists() or path.read_text() != config:
            self.stop_everything()
            write_private(path, config)
        if not self.supervisor.states():
            self.stop_everything()
        self._renew_orders(wanted)
        self._demand_ports(wanted)
        if not self.supervisor.states():
            self.supervisor.start()

    def start(self, *names: str) -> None:
        """Start services that do not run; returns at once."""
        self.supervisor.start_services(names)

    def stop_everything(self) -> list[str]:
        """Stop all services, the supervisor and everything a crash left.

        Returns:
            What was stopped.
        """
        stopped = self.supervisor.stop_services(self.supervisor.states())
        if self.supervisor.process():
            self.supervisor.shut_down()
            stopped.append("supervisor")
        strays = self._strays()
        former_life.end(strays)
        for ports in {self.layout.ports, self.former or self.layout.ports}:
            store_sockets.remove_leftovers(ports)
        if strays:
            stopped.append(f"{len(strays)} processes left by a crash")
        return stopped

    def _own_processes(self) -> set[int]:
        supervisor = self.supervisor.process()
        family = former_life.with_children({supervisor} if supervisor else set())
        return {process.pid for process in family | self._strays()}

    def _strays(self) -> set[psutil.Process]:
        session = former_life.Session.read(self.layout.run / SESSION_FILE)
        strays = former_life.leftovers(session, self.layout.home)
        for service in catalogue.all_services(self.layout).values():
            if service.program:
                strays |= former_life.running(service.program, service.folder)
        return strays

    def _renew_orders(self, wanted: Mapping[str, Service]) -> None:
        changed = []
        for name, service in wanted.items():
            order = LaunchOrder.of(service, self.layout.home).to_json()
            path = supervisor_config.order_path(self.layout, name)
            if not path.exists() or path.read_text() != order:
                changed.append(name)
                write_private(path, order)
        for name in self.supervisor.stop_services(changed):
            self.progress.step(f"{name} stopped: its settings have changed")

    def _demand_ports(self, wanted: Mapping[str, Service]) -> None:
        """Look once more: a service that is to be started must not meet one that stays."""
        states = self.supervisor.states()
        needs = {
            name: service.ports
            for name, service in wanted.items()
            if name not in states or states[name].state in STOPPED_STATES
        }
        if not states:
            needs["supervisor"] = ("supervisor",)
        port_check.demand_free(self.layout.ports, needs, self.called)
