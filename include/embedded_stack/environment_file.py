"""The stack's environment as a file a shell can read: `. var/stack.env`."""

import shlex

from embedded_stack import airflow_settings
from embedded_stack.called_as import HOME
from embedded_stack.layout import Layout
from embedded_stack.ports import PREFIX
from embedded_stack.private_file import write_private


def render(layout: Layout) -> str:
    """One `export NAME=value` per line, quoted for any shell.

    What chooses a stack is left out: a shell that has read the file and goes on in another
    checkout must not start, move or stop this one there.
    """
    environment = airflow_settings.environment(layout)
    lines = [
        f"export {name}={shlex.quote(value)}"
        for name, value in sorted(environment.items())
        if name != HOME and not name.startswith(PREFIX)
    ]
    return "\n".join(lines) + "\n"


def write(layout: Layout) -> None:
    """Write it to `stack.env` in the home folder, for its owner only."""
    write_private(layout.home / "stack.env", render(layout))
