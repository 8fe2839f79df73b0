"""What the stack tells Airflow: connections, and a file every shell can read."""

import json
import subprocess
from pathlib import Path

import pytest

from embedded_stack import airflow_settings, environment_file
from embedded_stack.caller import without_foreign
from embedded_stack.credentials import Credentials
from embedded_stack.layout import Layout
from embedded_stack.ports import Ports
from sample_services.demo.stack_home import exported
from tests.rabbitmq_stand_in import stand_in

pytestmark = pytest.mark.unit
SHELL = {"PWD", "SHLVL", "_", "OLDPWD"}  # a shell sets them by itself


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    stand_in(monkeypatch)
    home = tmp_path / "it's a $HOME `of` 100%"
    home.mkdir()
    return Layout(home, Ports(postgres=1234), Credentials())


def test_a_shell_reads_exactly_the_values_that_were_written(layout: Layout) -> None:
    environment_file.write(layout)
    script = '. "$1" && exec /usr/bin/env -0'
    printed = subprocess.run(
        ["/bin/sh", "-c", script, "sh", str(layout.home / "stack.env")],
        capture_output=True,
        check=True,
        env={},
    ).stdout.decode()
    read = dict(line.split("=", 1) for line in printed.split("\0") if line)

    expected = airflow_settings.environment(layout) | environment_file.for_programs(layout)
    assert {name: expected[name] for name in read if name in expected} == {
        name: value for name, value in read.items() if name not in SHELL
    }
    assert set(expected) - set(read) == {"REPORTS_HOME", *layout.ports.to_environment()}
    assert (layout.home / "stack.env").stat().st_mode & 0o777 == 0o600


def test_what_the_shell_reaches_without_a_proxy_is_kept(layout: Layout) -> None:
    environment_file.write(layout)
    script = '. "$1"; . "$1"; echo "$NO_PROXY $no_proxy ${kept-}"'
    printed = subprocess.run(
        ["/bin/sh", "-uc", script, "sh", layout.home / "stack.env"],
        capture_output=True,
        check=True,
        env={"NO_PROXY": ".example.com,10.0.0.1"},
    ).stdout.decode()

    assert printed.split() == ["127.0.0.1,localhost,.example.com,10.0.0.1", "127.0.0.1,localhost"]
    assert exported(environment_file.render(layout))["NO_PROXY"] == "127.0.0.1,localhost"


def test_programs_outside_of_airflow_find_it_and_the_broker(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = environment_file.for_programs(layout)

    login = json.loads(airflow_settings.environment(layout)["AIRFLOW_CONN_AIRFLOW_API"])
    assert told["AIRFLOW_URL"] == f"http://{login['host']}:{login['port']}"
    assert (told["AIRFLOW_USER"], told["AIRFLOW_PASSWORD"]) == (login["login"], login["password"])
    assert f"@127.0.0.1:{layout.ports.broker}/reports" in told["BROKER_URL"]
    stand_in(monkeypatch, None)
    assert "BROKER_URL" not in environment_file.for_programs(layout)


def test_a_shell_that_has_read_the_file_chooses_no_stack_by_it(layout: Layout) -> None:
    lines = environment_file.render(layout).splitlines()
    names = [line.partition("=")[0] for line in lines if line.startswith("export ")]

    assert "export AIRFLOW_CONN_AIRFLOW_API" in names
    assert [name for name in names if name.startswith("export REPORTS_")] == []


def test_every_connection_is_json_and_stays_on_loopback(layout: Layout) -> None:
    environment = airflow_settings.environment(layout)
    found = {
        name.removeprefix("AIRFLOW_CONN_").lower(): json.loads(value)
        for name, value in environment.items()
        if name.startswith("AIRFLOW_CONN_")
    }

    assert set(found) == {
        "report_warehouse", "operations_db", "report_store", "landing", "weather_api", "rates_api",
        "reports_broker", "airflow_api", "smtp_default", "slack_default",
    }  # fmt: skip
    assert all("127.0.0.1" in json.dumps(connection) for connection in found.values())
    assert found["operations_db"]["login"] == "operations_reader"
    assert found["report_warehouse"]["port"] == 1234


def test_the_broker_is_told_as_airflow_takes_any_address(layout: Layout) -> None:
    told = json.loads(airflow_settings.environment(layout)["AIRFLOW_CONN_REPORTS_BROKER"])

    assert told == {
        "conn_type": "generic", "host": "127.0.0.1", "port": layout.ports.broker,
        "schema": "reports", "login": "reports", "password": layout.credentials.broker_password,
    }  # fmt: skip


def test_without_a_broker_no_variable_hides_the_connection_a_person_makes(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(monkeypatch, None)

    assert "AIRFLOW_CONN_REPORTS_BROKER" not in airflow_settings.environment(layout)


def test_settings_of_the_caller_come_last(layout: Layout) -> None:
    tuned = Layout(
        layout.home, layout.ports, layout.credentials, settings={"AIRFLOW__CORE__PARALLELISM": "2"}
    )

    assert airflow_settings.environment(tuned)["AIRFLOW__CORE__PARALLELISM"] == "2"


def test_another_airflow_of_the_shell_does_not_leak_in() -> None:
    shell = {
        "AIRFLOW_HOME": "/other", "AIRFLOW__CORE__EXECUTOR": "x", "AIRFLOW_CONN_LANDING": "x",
        "AWS_PROFILE": "x", "PGHOST": "x", "REPORTS_PORT_WEB": "1", "PATH": "/bin",
        "RABBITMQ_NODENAME": "x", "ERL_LIBS": "x",
    }  # fmt: skip

    assert without_foreign(shell) == {"PATH": "/bin"}
