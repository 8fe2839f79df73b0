"""Which Airflow the command line talks to."""

from __future__ import annotations

import json
from argparse import Namespace

import pytest

from reporting.cli.login import Login, find_login
from reporting.errors import TerminalError

pytestmark = pytest.mark.unit

STACK = {
    "AIRFLOW_CONN_AIRFLOW_API": json.dumps(
        {"conn_type": "http", "schema": "http", "host": "127.0.0.1", "port": 8080,
         "login": "admin", "password": "secret"}
    )
}  # fmt: skip


def options(**given: str) -> Namespace:
    return Namespace(**{"url": None, "user": None, "password": None, **given})


def test_connection_of_the_stack_is_used() -> None:
    assert find_login(options(), STACK) == Login("http://127.0.0.1:8080", "admin", "secret")


def test_options_come_before_variables_and_these_before_the_connection() -> None:
    named = {"REPORTS_URL": "https://a/", "REPORTS_USER": "u", "REPORTS_PASSWORD": "p", **STACK}
    assert find_login(options(), named) == Login("https://a", "u", "p")
    assert find_login(options(url="https://b/x/", user="v"), named) == Login(
        "https://b/x", "v", "p"
    )
    assert find_login(options(user="v"), STACK) == Login("http://127.0.0.1:8080", "v", "secret")


def test_password_of_the_connection_never_goes_to_another_address() -> None:
    with pytest.raises(TerminalError, match="user and password not known") as told:
        find_login(options(url="https://elsewhere"), STACK)
    assert "var/stack.env" not in str(told.value)
    for part in ("https://elsewhere", "--user or REPORTS_USER", "REPORTS_PASSWORD"):
        assert part in str(told.value)


def test_only_what_is_missing_for_another_address_is_named() -> None:
    with pytest.raises(TerminalError, match=r"^Airflow's password not known. .*REPORTS_PASSWORD"):
        find_login(options(user="ann"), {"REPORTS_URL": "https://elsewhere"})


def test_nothing_known_says_what_to_do() -> None:
    with pytest.raises(TerminalError, match=r"make up.*\. var/stack\.env"):
        find_login(options(), {})


@pytest.mark.parametrize("text", ["http://admin:secret@host", "[1]", '"secret"'])
def test_broken_connection_is_named_but_not_quoted(text: str) -> None:
    with pytest.raises(TerminalError, match="AIRFLOW_CONN_AIRFLOW_API") as error:
        find_login(options(), {"AIRFLOW_CONN_AIRFLOW_API": text})
    assert "secret" not in str(error.value)


def test_a_login_shows_no_password() -> None:
    assert "secret" not in repr(find_login(options(), STACK))
