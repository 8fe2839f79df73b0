"""Every port of the stack in one place, and the variable that moves it."""

import os
import random
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches

from embedded_stack.errors import StackError

LOOPBACK = "127.0.0.1"
PREFIX = "REPORTS_PORT_"
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
    broker: int = 5673
    broker_admin: int = 15673
    weather: int = 8090
    rates: int = 8092
    webhook: int = 8091
    mail: int = 8025
    supervisor: int = 9001

    @classmethod
    def from_environment(
        cls, environ: Mapping[str, str] = os.environ, kept: "Ports | None" = None
    ) -> "Ports":
        """The kept ports or the default ones, moved by the variables that are set.

        Raises:
            StackError: a variable moves nothing, or its value is no port.
        """
        return replace(kept or cls(), **_asked(environ))

    @classmethod
    def free(cls) -> "Ports":
        """Ports nobody listens on now: for a second stack beside a running one."""
        candidates = _shuffled_candidates()
        found: dict[str, int] = {}
        for name in NAMES:
            found[name] = next(
                port for port in candidates if all(map(is_free, listeners(name, port)))
            )
        return cls(**found)

    def to_environment(self) -> dict[str, str]:
        """The variables that give these ports again."""
        return {variable(name): str(getattr(self, name)) for name in NAMES}

    def listeners(self, name: str) -> tuple[int, ...]:
        """The ports that come with one name: its own and, for the store, the gRPC twin."""
        return listeners(name, getattr(self, name))


NAMES = tuple(field.name for field in fields(Ports))


def variable(name: str) -> str:
    """The environment variable that moves a port."""
    return PREFIX + name.upper()


def listeners(name: str, port: int) -> tuple[int, ...]:
    """What a service listens on when the port of this name is `port`."""
    return (port, port + GRPC_OFFSET) if name in WITH_GRPC else (port,)


def is_free(port: int) -> bool:
    """Whether a server could listen here now; ports in TIME_WAIT count as free."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def _asked(environ: Mapping[str, str]) -> dict[str, int]:
    known = {variable(name): name for name in NAMES}
    asked = [name for name in environ if name.startswith(PREFIX)]
    for name in asked:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise StackError(f"{name} moves no port; allowed are {', '.join(known)}.{hint}")
    return {known[name]: _port_number(name, environ[name]) for name in asked}


def _port_number(name: str, text: str) -> int:
    highest = HIGHEST_PORT - GRPC_OFFSET
    if not text.isdecimal() or not 1 <= int(text) <= highest:
        raise StackError(f"{name}: got {text!r}; allowed is a number from 1 to {highest}")
    return int(text)


def _shuffled_candidates() -> Iterator[int]:
    candidates = list(range(*FREE_RANGE))
    random.SystemRandom().shuffle(candidates)
    return iter(candidates)
