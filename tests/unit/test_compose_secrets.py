"""No secret is in the compose file, and none has a value nobody chose."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from embedded_stack.connections import WEBHOOK_TOKEN
from tests.compose_project import (
    COMPOSE,
    EXAMPLE,
    example_variables,
    filled_variables,
    raw,
    resolve,
    services,
)

pytestmark = pytest.mark.unit

TEXT = COMPOSE.read_text()
# A variable with the rest of its braces; `$$` is a dollar of a shell inside the container.
USED = re.findall(r"(?<!\$)\$\{([A-Z0-9_]+)([^}]*)\}", TEXT)
SECRETS = sorted(name for name in example_variables() if name.startswith("SECRET_"))
SECRET_SETTING = re.compile(r"(PASS|PASSWORD|SECRET|KEY|KEY_ID|TOKEN)$")


def raw_settings() -> Iterator[tuple[str, str]]:
    """Environment variables of all services before values are put in."""
    for service in raw()["services"].values():
        yield from service.get("environment", {}).items()


def test_every_variable_is_documented_and_every_documented_one_is_used() -> None:
    assert {name for name, _ in USED} == set(example_variables())


def test_variables_have_no_other_form() -> None:
    assert len(re.findall(r"(?<!\$)\$(?!\$)", TEXT)) == len(USED)


def test_defaults_are_those_of_the_example() -> None:
    defaults = {name: rest.removeprefix(":-") for name, rest in USED if rest.startswith(":-")}

    assert defaults == {
        name: value for name, value in example_variables().items() if name not in SECRETS
    }


def test_a_secret_says_everywhere_how_to_get_one() -> None:
    for name, rest in USED:
        if name in SECRETS:
            assert rest == ":?see .env.example", name


@pytest.mark.parametrize("name", SECRETS)
def test_without_a_secret_compose_refuses(name: str) -> None:
    texts = [value for _, value in raw_settings() if f"${{{name}:" in value]

    assert texts
    for text in texts:
        with pytest.raises(ValueError, match=rf"{name} is missing a value: see .env.example"):
            resolve(text, filled_variables() | {name: ""})


@pytest.mark.parametrize("name", SECRETS)
def test_the_example_holds_no_secret_and_says_how_to_make_it(name: str) -> None:
    lines = EXAMPLE.read_text().splitlines()
    place = lines.index(f"{name}=")

    assert lines[place - 1].startswith("# generate me: openssl rand ")


def test_settings_that_are_secret_come_from_variables() -> None:
    secret = [(name, value) for name, value in raw_settings() if SECRET_SETTING.search(name)]

    assert secret
    for name, value in secret:
        assert re.fullmatch(r"\$\{SECRET_[A-Z0-9_]+:\?[^}]+\}", value), name


def test_addresses_hold_no_password() -> None:
    addresses = [value for _, value in raw_settings() if "://" in value and "@" in value]

    assert addresses
    for address in addresses:
        assert re.search(r"://\w+:\$\{SECRET_[A-Z0-9_]+:\?[^}]+\}@", address), address


def passwords(value: Any) -> Iterator[str]:
    """Every password in a connection, at any depth."""
    for key, inner in value.items():
        if key == "password":
            yield inner
        elif isinstance(inner, dict):
            yield from passwords(inner)


def test_connections_hold_no_password() -> None:
    environment = services()["airflow-scheduler"]["environment"]
    found = {
        name: list(passwords(json.loads(value)))
        for name, value in environment.items()
        if name.startswith("AIRFLOW_CONN_")
    }

    assert found.pop("AIRFLOW_CONN_SLACK_DEFAULT") == [WEBHOOK_TOKEN]
    assert any(found.values())
    for name, values in found.items():
        assert all(value.startswith("value-of-SECRET_") for value in values), name


def test_secrets_come_in_no_other_way() -> None:
    for service in services().values():
        assert not {"env_file", "secrets", "configs"} & set(service)
        assert "value-of-SECRET_" not in json.dumps(service.get("command", []))
