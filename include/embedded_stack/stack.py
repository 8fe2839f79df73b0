"""The stack as one thing that goes up and down."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from embedded_stack import (
    airflow_settings,
    broker,
    catalogue,
    environment_file,
    kept_ports,
    planes,
    postgres,
    rabbitmq_packages,
)
from embedded_stack.bring_up import BringUp
from embedded_stack.called_as import CalledAs
from embedded_stack.caller import demand_named_user
from embedded_stack.control import Control
from embedded_stack.credentials import Credentials
from embedded_stack.errors import StackError
from embedded_stack.layout import CHECKOUT, Layout
from embedded_stack.lock import exclusive
from embedded_stack.ports import Ports
from embedded_stack.private_file import make_private_folder
from embedded_stack.progress import Progress, print_now
from embedded_stack.status import ServiceStatus, read_status


@dataclass(frozen=True)
class Stack:
    """All services of one home folder.

    Attributes:
        home: the folder that holds everything of this stack.
        ports: where it listens.
        dags_folder: the DAG files Airflow reads.
        settings: environment variables added to Airflow's, to tune it for a test.
        write: takes each line of progress.
        called: the command that `up` shows again when a port is taken.
    """

    home: Path
    ports: Ports = field(default_factory=Ports)
    dags_folder: Path = CHECKOUT / "dags"
    settings: Mapping[str, str] = field(default_factory=dict)
    write: Callable[[str], None] = print_now
    called: CalledAs = field(default_factory=CalledAs)

    @cached_property
    def layout(self) -> Layout:
        """The folders, ports and secrets of this stack; the secrets are made if missing."""
        home = self.home.absolute()
        make_private_folder(home)
        with exclusive(home / "run" / "secrets.lock"):
            return self._layout(Credentials.keep(home / "secrets.json"))

    def up(self, services: Iterable[str] | None = None) -> None:
        """Start what does not run and return when it can be used.

        Args:
            services: names of services; when None all, those that need RabbitMQ only where it can
                be had.

        Raises:
            StackError: says what did not start, why, and what to do. When a port is taken,
                nothing has been changed.
        """
        progress = Progress(self.write)
        names = None if services is None else list(services)
        demand_named_user()
        with self._alone(progress):
            self._demand_startable(names, progress)
            wanted = self._obtainable(names, progress)
            former = kept_ports.read(self.home)
            kept_ports.keep(self.home, self.ports)
            self.layout.make_folders()
            environment_file.write(self.layout)
            control = Control(self.layout, progress, former, self.called)
            BringUp(control, catalogue.choose(self.layout, wanted)).run()

    def down(self) -> list[str]:
        """Stop everything of this stack, also what a crash left; data stays.

        Returns:
            What was stopped.
        """
        progress = Progress(self.write)
        with self._alone(progress):
            former = kept_ports.read(self.home)
            stopped = Control(self.layout, progress, former).stop_everything()
        progress.step(f"stopped: {', '.join(stopped)}" if stopped else "nothing was running")
        return stopped

    def stop(self, services: Iterable[str]) -> None:
        """Stop some services and leave them stopped until the next `up`.

        Args:
            services: names of services.

        Raises:
            StackError: a name is unknown.
        """
        names = list(catalogue.choose(self.layout, services))
        progress = Progress(self.write)
        with self._alone(progress):
            Control(self.layout, progress).supervisor.stop_services(names)

    def status(self) -> list[ServiceStatus]:
        """The state of every service."""
        return read_status(self.layout)

    def environment(self) -> dict[str, str]:
        """The variables Airflow and the reports need to use this stack."""
        return airflow_settings.environment(self.layout)

    def dsn(self, database: str, role: str) -> str:
        """A libpq connection string.

        Args:
            database: `airflow`, `warehouse` or `operations`.
            role: `postgres`, `airflow`, `reporting`, `operations_owner` or `operations_reader`.
        """
        return postgres.dsn(self.layout, database, role)

    def _layout(self, credentials: Credentials) -> Layout:
        home, dags = self.home.absolute(), self.dags_folder.absolute()
        return Layout(home, self.ports, credentials, dags, self.settings)

    def _demand_startable(self, names: list[str] | None, progress: Progress) -> None:
        # With secrets that are thrown away: a refused first start must not leave any.
        layout = self._layout(Credentials())
        control = Control(layout, progress, called=self.called)
        control.demand_startable(catalogue.choose(layout, names))

    def _obtainable(self, names: list[str] | None, progress: Progress) -> list[str]:
        """The wanted services, without those for which RabbitMQ cannot be fetched."""
        wanted = list(catalogue.choose(self.layout, names))
        need_rabbitmq = [name for name in wanted if name in {broker.NAME, planes.NAME}]
        if need_rabbitmq:
            try:
                rabbitmq_packages.provide(progress)
            except StackError as error:
                if names is not None:
                    raise
                progress.step(f"without {' and '.join(need_rabbitmq)}: {error}")
                return [name for name in wanted if name not in need_rabbitmq]
        return wanted

    def _alone(self, progress: Progress) -> AbstractContextManager[None]:
        make_private_folder(self.home)
        return exclusive(
            self.home / "run" / "stack.lock",
            on_wait=lambda: progress.step("another up or down of this stack runs; waiting for it"),
        )
