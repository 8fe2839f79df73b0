"""The stack as a person calls it: through make, and through a pipe that is closed early."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports

pytestmark = pytest.mark.integration


def make(home: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Call make without its set-up, on a home of the test's own."""
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("REPORTS_", "MAKE", "MFLAGS"))
    }
    return subprocess.run(
        ["make", "--old-file=setup", *words],  # noqa: S607 - the one in PATH
        cwd=CHECKOUT,
        env=plain | {"REPORTS_HOME": str(home)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_stack_that_is_stopped_is_no_error_of_make(tmp_path: Path) -> None:
    done = make(tmp_path, "status", **Ports.free().to_environment())

    assert done.returncode == 0
    assert done.stderr == ""
    _, *services = done.stdout.splitlines()
    assert len(services) > 10
    # The broker's programs may not be there yet.
    assert {line.split()[1] for line in services} <= {"STOPPED", "ABSENT"}


@pytest.mark.parametrize("target", ["up", "demo"])
def test_a_refusal_shows_what_was_typed(tmp_path: Path, target: str) -> None:
    ports = Ports.free()
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", ports.web))
        holder.listen()
        done = make(tmp_path, target, "PERIOD=2013-02-08", **ports.to_environment())

    shown = done.stderr.splitlines()[-2]
    assert shown.endswith(f" make {target} PERIOD=2013-02-08")
    assert f"REPORTS_HOME={tmp_path}" in shown
    assert f"REPORTS_PORT_WEB={ports.web} " not in shown
    assert done.returncode != 0


@pytest.mark.parametrize(("command", "code"), [("status", 1), ("env", 0)])
def test_a_reader_that_goes_early_is_no_error(tmp_path: Path, command: str, code: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "embedded_stack", command, "--home", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PYTHONPATH": str(CHECKOUT / "include")} | Ports.free().to_environment(),
    )
    assert process.stdout
    assert process.stderr
    process.stdout.close()

    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait() == code
