"""The command line: which ports it means, and what it says of the login."""

import os
from pathlib import Path

import pytest

from embedded_stack import __main__ as command_line
from embedded_stack import kept_ports, login
from embedded_stack.credentials import Credentials
from embedded_stack.layout import CHECKOUT, Layout
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack

pytestmark = pytest.mark.unit


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REPORTS_HOME", str(tmp_path))
    kept_ports.keep(tmp_path, Ports(s3=8555))
    return tmp_path


def ports_of(*words: str) -> Ports:
    options = command_line._parser().parse_args(words)
    return command_line._stack(options, words).ports


def test_ports_are_moved_by_up_and_known_to_everybody(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ports_of("up") == ports_of("status") == Ports(s3=8555)
    monkeypatch.setenv("REPORTS_PORT_WEB", "8081")

    assert ports_of("up", "--home", str(home)) == Ports(s3=8555, web=8081)
    assert ports_of("down") == ports_of("login") == Ports(s3=8555)


def test_a_mistyped_variable_is_an_error_of_one_line(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REPORTS_PORT_SS3", "8081")

    assert command_line.main(["up"]) == 1
    assert capsys.readouterr().err.startswith("error: REPORTS_PORT_SS3 moves no port")
    assert [path.name for path in home.iterdir()] == ["ports.json"]


def test_the_password_is_told_once_and_then_how_to_see_it(home: Path) -> None:
    layout = Stack(home).layout
    password = layout.credentials.airflow_admin_password
    first, second = login.closing_words(layout), login.closing_words(layout)

    assert f"password {password};" in first
    assert password not in second
    assert f"the password is in {home}/secrets.json" in second
    assert f".venv/bin/python -m embedded_stack login --home {home}" in second


def test_the_login_can_be_seen_again(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["login"]) == 0
    password = Stack(home).layout.credentials.airflow_admin_password
    assert capsys.readouterr().out.split() == [
        "address", "http://127.0.0.1:8080", "user", "admin", "password", password,
    ]  # fmt: skip


def test_the_usual_home_needs_no_option() -> None:
    layout = Layout(CHECKOUT / "var", Ports(), Credentials())

    assert login.command(layout, "login") == ".venv/bin/python -m embedded_stack login"


def becoming(monkeypatch: pytest.MonkeyPatch, *words: str) -> dict[str, object]:
    """Type a psql command; return what would become of the process."""
    seen: dict[str, object] = {}

    def become(program: str, words: list[str], environ: dict[str, str]) -> None:
        seen.update(environ, program=program, words=words)
        raise SystemExit

    monkeypatch.setattr(os, "execve", become)
    with pytest.raises(SystemExit):
        command_line.main(["psql", *words])
    return seen


def test_psql_reads_the_sample_data_in_a_role_that_cannot_write(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = becoming(monkeypatch, "operations", "--home", str(home))

    password = Stack(home).layout.credentials.postgres_operations_reader
    assert (seen["PGPASSWORD"], seen["PGDATABASE"], seen["PGUSER"]) == (
        password, "operations", "operations_reader",
    )  # fmt: skip
    assert seen["words"] == [seen["program"], "--set=ON_ERROR_STOP=1"]
    words = becoming(monkeypatch, "operations", "SELECT 1")["words"]
    assert isinstance(words, list)
    assert words[2:] == ["--command", "SELECT 1"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("words", [["airflow"], ["SELECT", "1"], ["operations", "SELECT", "1"]])
def test_psql_names_what_it_does_not_know(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert command_line.main(["psql", *words]) == 1

    said = capsys.readouterr().err
    assert repr(words[0]) in said
    assert "allowed: [warehouse|operations] [one query in quotes]" in said


def test_psql_gets_the_password_by_its_environment(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = becoming(monkeypatch, "SELECT 1")

    password = Stack(home).layout.credentials.postgres_reporting
    assert (seen["PGPASSWORD"], seen["PGDATABASE"], seen["PGPORT"]) == (
        password, "warehouse", "15432",
    )  # fmt: skip
    assert Path(str(seen["program"])).is_file()
    assert seen["words"] == [seen["program"], "--set=ON_ERROR_STOP=1", "--command", "SELECT 1"]
