"""Looks at all ports before anything is stopped or written, and says everything at once."""

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from embedded_stack.called_as import CalledAs
from embedded_stack.conditions import PAUSE_SECONDS
from embedded_stack.errors import StackError
from embedded_stack.free_ports import moved_to_free
from embedded_stack.port_holders import holder_in_words, holders, still_living
from embedded_stack.ports import (
    GRPC_OFFSET,
    LOOPBACK,
    NAMES,
    Ports,
    is_free,
    variable,
)

# To root every process is seen, so a port without one belongs to a process that is dying, which
# takes its time on a busy machine; to others it may well be another user's.
DYING_SECONDS = 40.0 if os.geteuid() == 0 else 5.0
# Which ports, by name, each service listens on.
Needs = Mapping[str, Collection[str]]


@dataclass(frozen=True)
class Taken:
    """A port that another program holds.

    Attributes:
        name: which port of ours.
        service: who needs it.
        port: its number, or that of the gRPC twin.
        pid: who holds it, None where that cannot be seen.
    """

    name: str
    service: str
    port: int
    pid: int | None


def demand_distinct(ports: Ports, called: CalledAs) -> None:
    """Refuse two listeners of one stack at the same port.

    Raises:
        StackError: names both variables and a command that moves one.
    """
    seen: dict[int, str] = {}
    for name in NAMES:
        for port in ports.listeners(name):
            first = seen.setdefault(port, name)
            if first != name:
                raise StackError(_clash(ports, called, port, first, name))


def demand_free(
    ports: Ports,
    needs: Needs,
    called: CalledAs,
    own: Callable[[], Collection[int]] = tuple,
) -> None:
    """Refuse ports that other programs hold.

    Args:
        ports: where the stack wants to listen.
        needs: who needs which.
        called: the command to show again.
        own: ids of the stack's own processes, which give up their ports when they must.

    Raises:
        StackError: names every such port, who needs it and holds it, and what to do.
    """
    taken = _taken(ports, needs, own)
    deadline = time.monotonic() + DYING_SECONDS
    # What a crash has left may be dying at this moment, and then nobody holds its port for long.
    while any(item.pid is None for item in taken) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
        taken = _taken(ports, needs, own)
    if taken:
        raise StackError(_report(ports, called, taken))


def _taken(ports: Ports, needs: Needs, own: Callable[[], Collection[int]]) -> list[Taken]:
    wanted = [
        (service, name, port)
        for service, names in needs.items()
        for name in names
        for port in ports.listeners(name)
        if not is_free(port)
    ]
    if not wanted:
        return []
    pids, ours = holders(), own()
    # A port at which nobody listens is only not given back yet, as after a kill -9 of a server
    # in the middle of its answers.
    return [
        Taken(name, service, port, still_living(pids[port]))
        for service, name, port in wanted
        if port in pids and pids[port] not in ours
    ]


def _clash(ports: Ports, called: CalledAs, port: int, first: str, second: str) -> str:
    # The one that was chosen is moved; the other has its usual or its kept place.
    mover = first if called.asked_for(first) and not called.asked_for(second) else second
    return (
        f"{variable(first)} and {variable(second)} both take port {port} on {LOOPBACK}"
        f"{_twin_hint(ports, first, port) or _twin_hint(ports, second, port)}; each needs its own. "
        f"For example:\n  {called.with_ports(moved_to_free(ports, [mover]))}"
    )


def _twin_hint(ports: Ports, name: str, port: int) -> str:
    own = getattr(ports, name)
    return "" if own == port else f" ({variable(name)} is {own}, and {GRPC_OFFSET} more is gRPC)"


def _report(ports: Ports, called: CalledAs, taken: Sequence[Taken]) -> str:
    names = list(dict.fromkeys(item.name for item in taken))
    count = "1 port is" if len(taken) == 1 else f"{len(taken)} ports are"
    return "\n".join(
        [
            f"{count} in use on {LOOPBACK} by other programs:",
            *(_line(ports, item) for item in taken),
            "Stop those programs, or move the stack, which then stays where it is put:",
            f"  {called.with_ports(moved_to_free(ports, names))}",
        ]
    )


def _line(ports: Ports, item: Taken) -> str:
    hint = _twin_hint(ports, item.name, item.port)
    return (
        f"  {item.port}, {variable(item.name)}{hint}: {item.service} needs it, "
        f"held by {holder_in_words(item.port, item.pid)}"
    )
