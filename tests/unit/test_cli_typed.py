"""Hints show the command as it can be typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.cli.typed import as_typed, command

pytestmark = pytest.mark.unit


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder one is in, with the program in `bin` and off PATH."""
    program = tmp_path / "bin" / "reports"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nowhere")
    return tmp_path


def called(monkeypatch: pytest.MonkeyPatch, name: str) -> str:
    monkeypatch.setattr("sys.argv", [name])
    return command()


def test_a_path_below_the_folder_one_is_in_is_short(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert called(monkeypatch, "bin/reports") == "bin/reports"
    assert called(monkeypatch, f"{folder}/bin/reports") == "bin/reports"


def test_a_path_elsewhere_stays_as_it_was_typed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")
    assert called(monkeypatch, "../bin/reports") == "../bin/reports"


def test_on_path_its_name_is_enough(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{folder}/bin")
    assert called(monkeypatch, f"{folder}/bin/reports") == "reports"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["pytest", "-c", "", "x/main.py", "gone/reports"])
def test_another_program_names_the_command_only(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert called(monkeypatch, name) == "reports"


def test_examples_can_be_copied(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [f"{folder}/bin/reports"])
    assert as_typed("examples:\n  reports list\nreports x") == (
        "examples:\n  bin/reports list\nreports x"
    )
