"""The compose file is one a compose implementation takes, closed to the outside and supervised."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.compose_project import (
    COMPOSE,
    ONE_SHOTS,
    Service,
    filled_variables,
    raw,
    resolve,
    services,
)

pytestmark = pytest.mark.unit

NAMES = sorted(services())
LONG_RUNNING = sorted(set(NAMES) - ONE_SHOTS)


def mounts(service: Service) -> Iterator[tuple[str, str]]:
    for mount in service.get("volumes", []):
        name, _, place = mount.partition(":")
        yield name, place


def test_podman_compose_takes_the_file(tmp_path: Path) -> None:
    settings = tmp_path / "settings"
    settings.write_text("".join(f"{key}={value}\n" for key, value in filled_variables().items()))
    program = str(Path(sys.executable).with_name("podman-compose"))
    # --dry-run, because without it even `config` asks for podman itself.
    arguments = ["--dry-run", "--file", str(COMPOSE), "--env-file", str(settings), "config"]

    done = subprocess.run(
        [program, *arguments, "--services"],
        env={}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.split()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_published_ports_are_on_loopback_only(name: str) -> None:
    assert "network_mode" not in services()[name]
    for port in services()[name].get("ports", []):
        assert re.fullmatch(r"127\.0\.0\.1:\d+:\d+", str(port)), port


def test_ports_move_and_do_not_clash() -> None:
    moved = filled_variables() | {"REPORTS_PORT_WEB": "18080"}
    ports = [
        resolve(port, moved).split(":")[1]
        for service in raw()["services"].values()
        for port in service.get("ports", [])
    ]

    assert "18080" in ports
    assert len(ports) == len(set(ports))


@pytest.mark.parametrize("name", LONG_RUNNING)
def test_a_service_is_supervised(name: str) -> None:
    service = services()[name]
    check = service["healthcheck"]

    assert service["restart"] == "unless-stopped"
    assert check["test"][0] in {"CMD", "CMD-SHELL"}
    assert {"interval", "timeout", "retries", "start_period", "start_interval"} <= set(check)


@pytest.mark.parametrize("name", NAMES)
def test_a_service_has_limits(name: str) -> None:
    service = services()[name]

    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])
    assert service["logging"]["options"]["max-size"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", sorted(ONE_SHOTS))
def test_a_one_shot_ends(name: str) -> None:
    assert services()[name]["restart"] == "no"
    assert "healthcheck" not in services()[name]


@pytest.mark.parametrize("name", NAMES)
def test_waiting_is_for_something_that_can_happen(name: str) -> None:
    for other, how in services()[name].get("depends_on", {}).items():
        done = "service_completed_successfully" if other in ONE_SHOTS else "service_healthy"
        assert other in services()
        assert how == {"condition": done}


def test_airflow_waits_for_what_it_needs() -> None:
    airflow = [name for name in NAMES if name.startswith("airflow-")]

    assert len([name for name in airflow if "-worker-" in name]) == 2
    for name in airflow:
        assert {"init", "postgres", "broker"} <= set(services()[name]["depends_on"])


def test_data_are_in_named_volumes_and_no_volume_is_left_over() -> None:
    used = {name for service in services().values() for name, _ in mounts(service)}

    assert used == set(raw()["volumes"])
    for name, place in (
        ("postgres", "/var/lib/postgresql"), ("store", "/data"), ("broker", "/var/lib/rabbitmq"),
    ):  # fmt: skip
        assert place in dict(mounts(services()[name])).values()


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("airflow-")])
def test_airflow_names_its_container_and_shares_its_logs(name: str) -> None:
    assert services()[name]["hostname"] == name
    assert ("airflow-logs", "/opt/airflow/logs") in set(mounts(services()[name]))
