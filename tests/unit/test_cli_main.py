"""The command line itself: what is accepted, and how it ends."""

from __future__ import annotations

import pytest

from reporting.cli.guarded import guarded
from reporting.cli.main import main, parser
from reporting.core.airflow_api import ConflictError
from reporting.errors import InputError, TerminalError, TransientError

pytestmark = pytest.mark.unit


def raising(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize(
    "command", [[], ["list"], ["runs"], ["versions"], ["trigger"], ["status"], ["clear"]]
)
def test_every_help_has_an_example(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "example" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["runs", "versions", "trigger", "clear", "roll-back"])
def test_every_help_names_the_report_alike(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = capsys.readouterr().out
    assert "\n  REPORT " in said
    assert "unless said" not in said


@pytest.mark.parametrize(
    "words", [[], ["trigger"], ["status"], ["clear", "a", "b"], ["nonsense"], ["list", "x"]]
)
def test_a_bad_command_line_is_two(words: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2


def test_trigger_takes_many_params() -> None:
    words = ["trigger", "airline", "--param", "a=1", "--param", "b=2", "--wait"]
    options = parser().parse_args(words)
    assert (options.report, options.period, options.param) == ("airline", None, ["a=1", "b=2"])
    assert (options.wait, options.unpause, options.json) == (True, False, False)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InputError("no"), 2, "refused: no"),
        (ConflictError("no"), 2, "refused: no"),
        (TerminalError("no"), 1, "error: no"),
        (TransientError("no"), 1, "error: no"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_errors_become_a_line_and_a_code(
    error: BaseException, code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(lambda: raising(error)) == code
    assert capsys.readouterr() == ("", f"{text}\n")


def test_a_missing_login_is_an_error_with_advice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AIRFLOW_CONN_AIRFLOW_API", "REPORTS_URL", "REPORTS_USER", "REPORTS_PASSWORD"):
        monkeypatch.delenv(name, raising=False)
    assert main(["list"]) == 1
    assert "make up" in capsys.readouterr().err
