"""Who may log in to Airflow's pages, told in full only once."""

import shlex
from pathlib import Path

from embedded_stack import airflow_settings, connections
from embedded_stack.layout import CHECKOUT, Layout

COMMAND = ".venv/bin/python -m embedded_stack"


def closing_words(layout: Layout) -> str:
    """The login after the first start; later, which may be in a log, how to see it."""
    told = layout.run / "login.told"
    secret = f"the password is in {_shown(layout.home / 'secrets.json')}"
    if not told.exists():
        told.touch()
        secret = f"password {layout.credentials.airflow_admin_password}"
    return (
        f"Airflow is at {airflow_settings.web_address(layout)} (user {connections.ADMIN}, "
        f"{secret}; to see it again: {command(layout, 'login')})"
    )


def in_full(layout: Layout) -> str:
    """Everything the login page asks for."""
    return "\n".join(
        [
            f"address   {airflow_settings.web_address(layout)}",
            f"user      {connections.ADMIN}",
            f"password  {layout.credentials.airflow_admin_password}",
        ]
    )


def command(layout: Layout, name: str) -> str:
    """A command for this stack as it is typed in the checkout."""
    home = "" if layout.home == CHECKOUT / "var" else f" --home {shlex.quote(str(layout.home))}"
    return f"{COMMAND} {name}{home}"


def _shown(path: Path) -> Path:
    return path.relative_to(CHECKOUT) if path.is_relative_to(CHECKOUT) else path
