"""The stack's environment as a file a shell can read: `. var/stack.env`."""

import shlex

from embedded_stack import airflow_settings, rabbitmq
from embedded_stack.called_as import HOME
from embedded_stack.connections import ADMIN
from embedded_stack.layout import Layout
from embedded_stack.planes import broker_url
from embedded_stack.ports import LOOPBACK, PREFIX
from embedded_stack.private_file import write_private


def render(layout: Layout) -> str:
    """One `export NAME=value` per line, quoted for any shell.

    What chooses a stack is left out: a shell that has read the file and goes on in another
    checkout must not start, move or stop this one there.
    """
    environment = airflow_settings.environment(layout) | for_programs(layout)
    lines = [
        f"export {name}={shlex.quote(value)}"
        for name, value in sorted(environment.items())
        if name != HOME and not name.startswith(PREFIX)
    ]
    return "\n".join(lines) + "\n"


def for_programs(layout: Layout) -> dict[str, str]:
    """Return where programs outside of Airflow find it and the broker, with their logins."""
    airflow = {
        "AIRFLOW_URL": f"http://{LOOPBACK}:{layout.ports.web}",
        "AIRFLOW_USER": ADMIN,
        "AIRFLOW_PASSWORD": layout.credentials.airflow_admin_password,
    }
    return airflow if rabbitmq.find() is None else airflow | {"BROKER_URL": broker_url(layout)}


def write(layout: Layout) -> None:
    """Write it to `stack.env` in the home folder, for its owner only."""
    write_private(layout.home / "stack.env", render(layout))
