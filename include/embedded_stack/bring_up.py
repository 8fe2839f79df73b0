"""The way from nothing to a stack that can be used, as parallel as it can be."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial

from embedded_stack import (
    airflow_services,
    broker,
    databases,
    planes,
    postgres,
    sample,
    sample_data,
    store,
)
from embedded_stack.control import Control
from embedded_stack.layout import Layout
from embedded_stack.readiness import until_ready
from embedded_stack.service import Service


@dataclass(frozen=True)
class BringUp:
    """One run of `up` for the wanted services."""

    control: Control
    wanted: Mapping[str, Service]

    @property
    def layout(self) -> Layout:
        """The stack that comes up."""
        return self.control.layout

    def run(self) -> None:
        """Start the services; returns when all can be used."""
        self._prepare()
        self.control.make_ready(self.wanted)
        branches: dict[str, Callable[[], None]] = {
            "postgres": self._databases,
            "store": self._store,
            broker.NAME: self._broker,
            planes.NAME: self._planes,
        }
        for name in ("weather", "rates", "mail-sink", "webhook-sink"):
            branches[name] = self._sample(name)
        _together(*(work for name, work in branches.items() if name in self.wanted))

    def _prepare(self) -> None:
        if "postgres" in self.wanted:
            postgres.prepare(self.layout)
        if "store" in self.wanted:
            store.prepare(self.layout)
        if broker.NAME in self.wanted:
            broker.prepare(self.layout)
        airflow_services.prepare(self.layout)

    def _databases(self) -> None:
        self.control.start("postgres")
        until_ready(self.layout, "postgres", lambda: postgres.answers(self.layout))
        databases.create(self.layout)
        self._done("postgres")
        _together(self._flights, self._airflow)

    def _flights(self) -> None:
        loaded = sample_data.load_flights(self.layout)
        if loaded:
            self.control.progress.step(f"{loaded:,} flights loaded into operations.flights")

    def _store(self) -> None:
        self.control.start("store")
        until_ready(self.layout, "store", sample_data.airlines_kept(self.layout))
        self._done("store")

    def _broker(self) -> None:
        self.control.start(broker.NAME)
        until_ready(self.layout, broker.NAME, lambda: broker.answers(self.layout))
        self._done(broker.NAME)

    def _planes(self) -> None:
        # Before, it would try in vain, each time after a longer pause.
        until_ready(self.layout, broker.NAME, lambda: broker.answers(self.layout))
        self.control.start(planes.NAME)
        until_ready(self.layout, planes.NAME, lambda: planes.answers(self.layout))
        self._done(planes.NAME)

    def _sample(self, name: str) -> Callable[[], None]:
        def work() -> None:
            self.control.start(name)
            until_ready(self.layout, name, lambda: sample.answers(self.wanted[name]))
            self._done(name)

        return work

    def _airflow(self) -> None:
        names = [name for name in self.wanted if name.startswith("airflow-")]
        if not names:
            return
        if airflow_services.migrate(self.layout):
            self.control.progress.step("Airflow's database is at the installed version")
        self.control.start(*names)
        for name in names:
            until_ready(
                self.layout,
                name,
                partial(self._healthy, name),
                airflow_services.HEALTHY_SECONDS,
            )
            self._done(name)

    def _healthy(self, name: str) -> bool:
        if name == airflow_services.API_SERVER:
            return airflow_services.answers(self.layout)
        state = self.control.supervisor.states().get(name)
        return state is not None and airflow_services.beats(self.layout, name, state.started)

    def _done(self, name: str) -> None:
        self.control.progress.step(f"{name} is ready {self.wanted[name].url}".rstrip())


def _together(*work: Callable[[], None]) -> None:
    """Do everything at the same time; the first error is raised when all have ended."""
    with ThreadPoolExecutor(max_workers=max(len(work), 1)) as pool:
        for done in as_completed([pool.submit(each) for each in work]):
            done.result()
