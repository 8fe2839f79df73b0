"""The stack's environment as a file a shell can read: `. var/stack.env`."""

import shlex

from embedded_stack import airflow_settings, rabbitmq
from embedded_stack.called_as import HOME
from embedded_stack.connections import ADMIN
from embedded_stack.layout import Layout
from embedded_stack.planes import broker_url
from embedded_stack.ports import LOOPBACK, PREFIX
from embedded_stack.private_file import write_private

NO_PROXY = ("NO_PROXY", "no_proxy")
# Loopback comes before what the shell reaches without a proxy, once, however often it reads this.
_ADDED = """\
kept="${{{name}-}}"; kept="${{kept#{value}}}"; kept="${{kept#,}}"
{line}
{name}="${name}${{kept:+,$kept}}"; unset kept"""


def render(layout: Layout) -> str:
    """One `export NAME=value` per variable, quoted for any shell.

    What chooses a stack is left out: a shell that has read the file and goes on in another
    checkout must not start, move or stop this one there.
    """
    environment = airflow_settings.environment(layout) | for_programs(layout)
    lines = [
        _lines(name, value)
        for name, value in sorted(environment.items())
        if name != HOME and not name.startswith(PREFIX)
    ]
    return "\n".join(lines) + "\n"


def _lines(name: str, value: str) -> str:
    line = f"export {name}={shlex.quote(value)}"
    return _ADDED.format(name=name, value=value, line=line) if name in NO_PROXY else line


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
