"""RabbitMQ's programs and the Erlang they run on: where they are, and how they are called."""

import platform
from dataclasses import dataclass
from pathlib import Path

from embedded_stack.layout import CHECKOUT

CACHE = CHECKOUT / "var" / "cache" / "rabbitmq"
# Older ones drop dead letters when their own queue cannot take them.
OLDEST = (3, 10)


@dataclass(frozen=True)
class RabbitMq:
    """Debian's packages `rabbitmq-server` and `erlang-*`, installed or only unpacked.

    Attributes:
        runtime: the folder of Erlang's own programs.
        server: the folder of the server and its plugins.
    """

    runtime: Path
    server: Path

    @classmethod
    def below(cls, root: Path) -> "RabbitMq | None":
        """What the packages hold when `root` is their `/`; None where they are not there."""
        runtimes = list(root.glob("usr/lib*/erlang/erts-*"))
        servers = list(root.glob("usr/lib/rabbitmq/lib/rabbitmq_server-*"))
        return cls(runtimes[0], servers[0]) if runtimes and servers else None

    @property
    def version(self) -> str:
        """The server's version."""
        return self.server.name.rpartition("-")[2]

    @property
    def series(self) -> tuple[int, ...]:
        """The first two numbers of the version; data belong to one series."""
        return tuple(int(number) for number in self.version.split(".")[:2])

    @property
    def starter(self) -> Path:
        """The program that becomes the emulator."""
        return self.runtime / "bin" / "erlexec"

    @property
    def emulator(self) -> Path:
        """The program that runs Erlang's code."""
        return (self.runtime / "bin" / "beam.smp").resolve()

    def environment(self) -> dict[str, str]:
        """What Debian's scripts set; those know one place only, and no blanks in it."""
        return {
            "ROOTDIR": str(self.runtime.parent),
            "BINDIR": str(self.runtime / "bin"),
            "EMU": "beam",
            "PROGNAME": "erl",
            "RABBITMQ_HOME": str(self.server),
            "ERL_LIBS": str(self.server / "plugins"),
        }


def find() -> RabbitMq | None:
    """The unpacked packages, else installed ones; None where neither is new enough."""
    for root in (unpacked(), Path("/")):
        found = RabbitMq.below(root)
        if found and found.series >= OLDEST:
            return found
    return None


def unpacked() -> Path:
    """Where packages are unpacked; other releases and processors need other ones."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    system = f"{release.get('ID', 'linux')}-{release.get('VERSION_ID', 'rolling')}"
    return CACHE / f"{system}-{platform.machine()}"
