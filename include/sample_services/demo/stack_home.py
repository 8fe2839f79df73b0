"""The folder of the embedded stack, and the environment it has left there."""

from __future__ import annotations

import shlex
from collections.abc import MutableMapping
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
HOME = "REPORTS_HOME"
# As it is typed in the checkout; nobody has it in their PATH yet.
REPORTS = ".venv/bin/reports"


@dataclass(frozen=True)
class StackHome:
    """Where the stack keeps what a person may want to see.

    Attributes:
        folder: its home.
    """

    folder: Path

    @property
    def environment(self) -> Path:
        """The environment as a shell reads it."""
        return self.folder / "stack.env"

    @property
    def secrets(self) -> Path:
        """Passwords, for their owner only."""
        return self.folder / "secrets.json"

    @property
    def copies(self) -> Path:
        """Copies of published files."""
        return self.folder / "out"

    @property
    def mail(self) -> Path:
        """Mails that were sent."""
        return self.folder / "mail"

    @property
    def slack(self) -> Path:
        """Slack messages that were sent."""
        return self.folder / "slack"

    def command(self, name: str) -> str:
        """A command of this stack as it is typed in the checkout."""
        usual = self.folder.absolute() == CHECKOUT / "var"
        home = "" if usual else f" --home {shlex.quote(shown(self.folder))}"
        return f".venv/bin/python -m embedded_stack {name}{home}"


def load_environment(environ: MutableMapping[str, str]) -> StackHome:
    """Take over the stack's environment and return its home.

    The file wins over what is set already: the demo must never run on another Airflow that this
    shell happens to know. Without the file, the environment is used as it is.
    """
    home = StackHome(Path(environ.get(HOME) or CHECKOUT / "var"))
    if home.environment.is_file():
        environ.update(exported(home.environment.read_text(encoding="utf-8")))
    return home


def exported(text: str) -> dict[str, str]:
    """Return the variables that `export NAME=value` lines set."""
    words = (shlex.split(line, comments=True) for line in text.splitlines())
    pairs = (line[1].partition("=") for line in words if line[:1] == ["export"] and line[1:])
    return {name: value for name, _, value in pairs}


def shown(path: Path) -> str:
    """Return a path as it is typed from the current folder."""
    absolute, here = path.absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else absolute)
