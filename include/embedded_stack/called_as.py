"""The command a person typed, to be shown again with what would make it work."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from embedded_stack.ports import PREFIX, variable

# Set by the Makefile: who typed `make demo` should not be told of anything else.
VARIABLE = "STACK_CALLED_AS"
HOME = "REPORTS_HOME"


@dataclass(frozen=True)
class CalledAs:
    """How the stack was asked to come up.

    Attributes:
        words: what was typed.
        variables: settings of the stack that came with it.
    """

    words: str = "make up"
    variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, environ: Mapping[str, str], arguments: Sequence[str]) -> "CalledAs":
        """The command as the Makefile or, without it, the arguments tell it."""
        own = shlex.join([".venv/bin/python", "-m", "embedded_stack", *arguments])
        words = (environ.get(VARIABLE) or own).split()
        return cls(
            # Variables may also stand behind `make up`; they are shown once, in front.
            " ".join(word for word in words if not _is_setting(word.partition("=")[0])),
            {name: value for name, value in environ.items() if _is_setting(name)},
        )

    def asked_for(self, port: str) -> bool:
        """Whether the person chose this port."""
        return variable(port) in self.variables

    def with_ports(self, moved: Mapping[str, int]) -> str:
        """The same command with these ports, ready to be pasted."""
        ports = {variable(name): str(port) for name, port in moved.items()}
        settings = {**self.variables, **ports}.items()
        return " ".join([*(f"{name}={shlex.quote(value)}" for name, value in settings), self.words])


def _is_setting(name: str) -> bool:
    return name == HOME or name.startswith(PREFIX)
