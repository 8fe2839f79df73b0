"""Airflow itself knows every setting and command of the compose file, and loads its executor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import pytest

from reporting.airflow_edge.settings import Settings
from tests.compose_project import airflow_environment, services

if TYPE_CHECKING:
    from pathlib import Path

# Its options go to the broker's client as they are.
OPEN_SECTION = "celery_broker_transport_options"
COMMANDS = {
    name: [str(word) for word in service["command"]]
    for name, service in services().items()
    if name.startswith("airflow-")
} | {"init": ["airflow", "db", "migrate"]}

ASK = """
import json, sys
from airflow.configuration import retrieve_configuration_description
known = retrieve_configuration_description(include_airflow=True, include_providers=True)
from airflow.cli.cli_parser import get_parser
parser, accepted = get_parser(), {}
for name, words in json.loads(sys.argv[1]).items():
    try:
        parser.parse_args(words[1:])
    except SystemExit as refusal:
        accepted[name] = refusal.code
    else:
        accepted[name] = 0
try:
    from airflow.executors.executor_loader import ExecutorLoader
    executor = ExecutorLoader.import_default_executor_cls()[0].__name__
except Exception as error:
    executor = repr(error.__cause__ or error.__context__ or error)
options = {section: list(content["options"]) for section, content in known.items()}
print("\\n" + json.dumps({"options": options, "accepted": accepted, "executor": executor}))
"""


@dataclass(frozen=True)
class Answer:
    """What an Airflow with the environment of the compose file says."""

    options: dict[str, list[str]]
    accepted: dict[str, int]
    executor: str


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """Ask once: starting Airflow takes seconds."""
    home: Path = tmp_path_factory.mktemp("airflow")
    own = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    # The master key must have the form of one.
    key = {"AIRFLOW__CORE__FERNET_KEY": "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="}
    done = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps(COMMANDS)],
        env=own | airflow_environment() | key | {"AIRFLOW_HOME": str(home)},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Answer(**json.loads(done.stdout.splitlines()[-1]))


def test_airflow_knows_every_setting(answer: Answer) -> None:
    unknown = []
    for name in airflow_environment():
        if name.startswith("AIRFLOW__"):
            section, _, option = name.removeprefix("AIRFLOW__").lower().partition("__")
            if section != OPEN_SECTION and option not in answer.options.get(section, []):
                unknown.append(name)

    assert unknown == []
    assert OPEN_SECTION in answer.options


def test_every_other_variable_is_a_connection_or_a_setting_of_reports() -> None:
    others = [name for name in airflow_environment() if not name.startswith("AIRFLOW__")]

    settings = {f"REPORTING_{field.name.upper()}" for field in fields(Settings)}
    assert all(name.startswith("AIRFLOW_CONN_") or name in settings for name in others)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_airflow_takes_every_command(answer: Answer, name: str) -> None:
    assert COMMANDS[name][0] == "airflow"
    assert answer.accepted[name] == 0


def test_init_migrates() -> None:
    assert " ".join(COMMANDS["init"]) in services()["init"]["command"][-1]


def test_the_executor_loads(answer: Answer) -> None:
    assert answer.executor == "CeleryExecutor"
