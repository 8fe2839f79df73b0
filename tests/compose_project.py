"""The files of the compose project as tests see them, resolved by a real compose implementation."""

import re
from functools import cache
from typing import Any

import podman_compose  # type: ignore[import-untyped]
import yaml  # type: ignore[import-untyped]

from embedded_stack.layout import CHECKOUT

COMPOSE = CHECKOUT / "docker-compose.yaml"
EXAMPLE = CHECKOUT / ".env.example"
DOCKERFILE = CHECKOUT / "Dockerfile"
ONE_SHOTS = {"init"}
OWN_IMAGES = ("airflow-reporting:", "airflow-reporting-sample:")

Service = dict[str, Any]


def example_variables() -> dict[str, str]:
    """`.env.example` as compose reads it."""
    return {name: value or "" for name, value in podman_compose.dotenv_to_dict(EXAMPLE).items()}


def filled_variables() -> dict[str, str]:
    """The example with a value of its own for every secret, to be found again."""
    return {name: value or f"value-of-{name}" for name, value in example_variables().items()}


@cache
def raw() -> dict[str, Any]:
    """The compose file before values are put in."""
    return dict(yaml.safe_load(COMPOSE.read_text()))


def resolve(text: str, variables: dict[str, str]) -> str:
    """One text of the compose file with these variables put in.

    Raises:
        ValueError: when a required variable has no value.
    """
    return str(podman_compose.var_interpolate(text, variables))


@cache
def services() -> dict[str, Service]:
    """Every service by name, resolved."""
    return dict(podman_compose.rec_subs(raw()["services"], filled_variables()))


def words(service: Service) -> list[str]:
    """Everything the service runs: at its start and for its health check."""
    parts = [service.get("entrypoint", []), service.get("command", [])]
    parts.append(service.get("healthcheck", {}).get("test", []))
    return [word for part in parts for word in part]


def airflow_environment() -> dict[str, str]:
    """What every Airflow service gets."""
    return dict(services()["airflow-scheduler"]["environment"])


def locked(package: str, lock: str = "requirements-dev.txt") -> str:
    """The version of a package in a lock file."""
    found = re.search(rf"^{re.escape(package)}==(\S+)", (CHECKOUT / lock).read_text(), re.MULTILINE)
    assert found, f"{package} is not in {lock}"
    return found[1]
