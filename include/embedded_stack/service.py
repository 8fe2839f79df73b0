"""What the stack knows of one long-running process."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Service:
    """One process under supervision."""

    name: str
    argv: tuple[str, ...]
    folder: Path
    ports: tuple[str, ...] = ()
    url: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    stop_signal: str = "TERM"
    # Where signals must reach children too, as with Airflow's workers.
    stop_group: bool = False
    # A native program may be recognised by its file and working folder alone.
    program: str = ""


@dataclass(frozen=True)
class LaunchOrder:
    """What the launcher needs to become the service; kept in a file of mode 600."""

    argv: tuple[str, ...]
    folder: str
    environment: Mapping[str, str]
    program: str
    home: str

    @classmethod
    def of(cls, service: Service, home: Path) -> "LaunchOrder":
        """The order for one service of one stack."""
        return cls(
            service.argv, str(service.folder), dict(service.environment), service.program, str(home)
        )

    @classmethod
    def read(cls, path: Path) -> "LaunchOrder":
        """The order stored at `path`."""
        stored = json.loads(path.read_text())
        return cls(**{**stored, "argv": tuple(stored["argv"])})

    def to_json(self) -> str:
        """A text that is the same as long as the order is."""
        return json.dumps(asdict(self), indent=2, sort_keys=True) + "\n"


def dies_with_supervisor(signal: str, *argv: str) -> tuple[str, ...]:
    """A command the kernel signals when the supervisor that started it is gone."""
    return ("setpriv", "--pdeathsig", signal, "--", *argv)
