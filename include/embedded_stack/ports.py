"""Every port of the stack in one place, and the variable that moves it."""

import os
import random
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields

from embedded_stack.errors import StackError

LOOPBACK = "127.0.0.1"
# SeaweedFS serves gRPC at each of its ports plus this number.
GRPC_OFFSET = 10_000
WITH_GRPC = frozenset({"s3", "store_master", "store_filer", "store_volume", "store_admin"})
HIGHEST_PORT = 65_535
# Below Linux's range for outgoing connections, gRPC twins included.
FREE_RANGE = (10_000, 22_000)


@dataclass(frozen=True)
class Ports:
    """Where each listener of one stack is found on 127.0.0.1.

    `REPORTS_PORT_<NAME>` moves one, for example `REPORTS_PORT_WEB=8081`.
    """

    web: int = 8080
    postgres: int = 15432
    s3: int = 8333
    store_master: int = 9333
    store_filer: int = 8888
    store_volume: int = 9340
    store_admin: int = 9346
    weather: int = 8090
    webhook: int = 8091
    mail: int = 8025
    supervisor: int = 9001

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> "Ports":
        """The default ports, moved by the variables that are set."""
        moved = {
            field.name: _port_number(variable(field.name), environ[variable(field.name)])
            for field in fields(cls)
            if variable(field.name) in environ
        }
        return cls(**moved)

    @classmethod
    def free(cls) -> "Ports":
        """Ports nobody listens on now: for a second stack beside a running one."""
        candidates = _shuffled_candidates()
        found: dict[str, int] = {}
        for field in fields(cls):
            found[field.name] = next(
                port for port in candidates if all(map(is_free, _twins(field.name, port)))
            )
        return cls(**found)

    def to_environment(self) -> dict[str, str]:
        """The variables that give these ports again."""
        return {variable(field.name): str(getattr(self, field.name)) for field in fields(self)}

    def listeners(self, name: str) -> tuple[int, ...]:
        """The ports that come with one name: its own and, for the store, the gRPC twin."""
        return _twins(name, getattr(self, name))


def variable(name: str) -> str:
    """The environment variable that moves a port."""
    return f"REPORTS_PORT_{name.upper()}"


def is_free(port: int) -> bool:
    """Whether a server could listen here now; ports in TIME_WAIT count as free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def demand_free(ports: Ports, service: str, names: tuple[str, ...]) -> None:
    """Refuse to start a service whose port another program holds.

    Raises:
        StackError: names the port, the service and the variable that moves it.
    """
    for name in names:
        for port in ports.listeners(name):
            if not is_free(port):
                raise StackError(_taken(service, name, port))


def _taken(service: str, name: str, port: int) -> str:
    held = f"port {port} on {LOOPBACK} is in use by another program; {service} needs it"
    if name in WITH_GRPC:
        held += f" (it takes {variable(name)} and that number plus {GRPC_OFFSET})"
    return (
        f"{held}. Free the port (who holds it: ss -ltnp 'sport = :{port}') or move the service: "
        f"{variable(name)}=<free port> make up"
    )


def _port_number(name: str, text: str) -> int:
    highest = HIGHEST_PORT - GRPC_OFFSET
    if not text.isdecimal() or not 1 <= int(text) <= highest:
        raise StackError(f"{name}: got {text!r}; allowed is a number from 1 to {highest}")
    return int(text)


def _twins(name: str, port: int) -> tuple[int, ...]:
    return (port, port + GRPC_OFFSET) if name in WITH_GRPC else (port,)


def _shuffled_candidates() -> Iterator[int]:
    candidates = list(range(*FREE_RANGE))
    random.SystemRandom().shuffle(candidates)
    return iter(candidates)
