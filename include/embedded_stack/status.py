"""What runs, as data and as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from embedded_stack import catalogue
from embedded_stack.layout import Layout
from embedded_stack.supervision import RUNNING, Supervisor

# Its programs are not on this machine.
ABSENT = "ABSENT"
HEADER = ("SERVICE", "STATE", "PID", "PORT", "UPTIME", "URL")


@dataclass(frozen=True)
class ServiceStatus:
    """One line of the status."""

    name: str
    state: str
    pid: int | None
    ports: tuple[int, ...]
    uptime: timedelta | None
    url: str

    @property
    def runs(self) -> bool:
        """Whether the process is up."""
        return self.state == RUNNING


def read_status(layout: Layout) -> list[ServiceStatus]:
    """Ask the supervisor; without one, every service is stopped."""
    states = Supervisor(layout).states()
    found = []
    for service in catalogue.all_services(layout).values():
        state = states.get(service.name) if service.argv else None
        runs = state is not None and state.state == RUNNING
        found.append(
            ServiceStatus(
                name=service.name,
                state=state.state if state else ("STOPPED" if service.argv else ABSENT),
                pid=state.pid if state and runs else None,
                ports=tuple(getattr(layout.ports, name) for name in service.ports[:1]),
                uptime=timedelta(seconds=int(state.uptime)) if state and runs else None,
                url=service.url,
            )
        )
    return found


def as_table(statuses: Sequence[ServiceStatus]) -> str:
    """The status as aligned columns."""
    rows = [HEADER, *map(_row, statuses)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _row(status: ServiceStatus) -> tuple[str, ...]:
    return (
        status.name,
        status.state,
        str(status.pid or "-"),
        ",".join(map(str, status.ports)) or "-",
        str(status.uptime) if status.uptime is not None else "-",
        status.url or "-",
    )
