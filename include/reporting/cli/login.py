"""Where Airflow is and who asks: from options, the environment, or Airflow's own connection."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from reporting.core.airflow_api import AirflowApi
from reporting.errors import TerminalError

CONNECTION = "AIRFLOW_CONN_AIRFLOW_API"
WHAT_TO_DO = (
    "Start the embedded stack with `make up` and load its environment with `. var/stack.env`, "
    "or name another Airflow with --url, --user and REPORTS_PASSWORD."
)

OF_ANOTHER = (
    "Say who asks at {url}: --user or REPORTS_USER, and REPORTS_PASSWORD. A login that was found "
    f"with another address, as in {CONNECTION}, is not sent there."
)


@dataclass(frozen=True)
class Login:
    """How to reach Airflow's REST API.

    Attributes:
        url: address of the api-server, without a slash at its end.
        user: login name.
        password: its password.
    """

    url: str
    user: str
    password: str = field(repr=False)


def login_options(default: str | None = None) -> argparse.ArgumentParser:
    """Return the options every command shares, as a parent parser.

    Args:
        default: of each; `argparse.SUPPRESS` for a command below one that has them, too.
    """
    parser = argparse.ArgumentParser(add_help=False, argument_default=default)
    group = parser.add_argument_group(
        "which Airflow",
        f"without them {CONNECTION} (JSON) is used, as `. var/stack.env` sets it",
    )
    group.add_argument("--url", help="address of Airflow (or REPORTS_URL)")
    group.add_argument("--user", help="login name (or REPORTS_USER)")
    group.add_argument(
        "--password", help="better as REPORTS_PASSWORD: options show in lists of processes"
    )
    return parser


def airflow_of(options: argparse.Namespace) -> AirflowApi:
    """Return the client for the Airflow that the options and the environment name."""
    login = find_login(options, os.environ)
    return AirflowApi(login.url, login.user, login.password)


def find_login(options: argparse.Namespace, environ: Mapping[str, str]) -> Login:
    """Return the login; one that was found with another address is never used.

    Raises:
        TerminalError: something is missing; says what to do.
    """
    url = options.url or environ.get("REPORTS_URL")
    known = Login(url, "", "") if url else _from_connection(environ)
    login = Login(
        known.url.rstrip("/"),
        options.user or environ.get("REPORTS_USER") or known.user,
        options.password or environ.get("REPORTS_PASSWORD") or known.password,
    )
    parts = {"address": login.url, "user": login.user, "password": login.password}
    missing = [name for name, value in parts.items() if not value]
    if missing:
        what_to_do = OF_ANOTHER.format(url=login.url) if url else WHAT_TO_DO
        raise TerminalError(f"Airflow's {' and '.join(missing)} not known. {what_to_do}")
    return login


def _from_connection(environ: Mapping[str, str]) -> Login:
    text = environ.get(CONNECTION)
    if not text:
        return Login("", "", "")
    try:
        parts = dict(json.loads(text))
    except (TypeError, ValueError):
        # The text holds a password, so the message must not quote it.
        raise TerminalError(f"{CONNECTION} is no JSON connection. {WHAT_TO_DO}") from None
    return Login(_address(parts), parts.get("login") or "", parts.get("password") or "")


def _address(parts: Mapping[str, object]) -> str:
    host = str(parts.get("host") or "")
    if not host:
        return ""
    base = host if "://" in host else f"{parts.get('schema') or 'http'}://{host}"
    return f"{base}:{parts['port']}" if parts.get("port") else base
