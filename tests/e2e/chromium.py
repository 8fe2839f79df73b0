"""Debian's Chromium for the tests of pages: the machine's own, or unpacked without being root."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from embedded_stack.layout import CHECKOUT
from embedded_stack.lock import exclusive

# The fonts: what Airflow asks for, and the letters of Chinese.
PACKAGES = ("chromium", "fonts-inter", "fonts-wqy-microhei")
FOLDER = CHECKOUT / "var" / "cache" / "chromium"
BINARY = Path("usr/lib/chromium/chromium")
LIBRARIES = ("usr/lib/{machine}-linux-gnu", "usr/lib/{machine}-linux-gnu/pulseaudio")
SECONDS = 300.0


@dataclass(frozen=True)
class Chromium:
    """A browser that can be started.

    Attributes:
        binary: the program.
        environment: what it needs besides the test's own environment.
    """

    binary: Path
    environment: dict[str, str] = field(default_factory=dict)


def chromium() -> Chromium:
    """Return the browser; fetch it from the machine's package archive when it is not there."""
    if found := shutil.which("chromium"):
        return Chromium(Path(found))
    with exclusive(FOLDER.with_name("chromium.lock")):
        if not (FOLDER / BINARY).exists():
            _fetch()
    libraries = [FOLDER / place.format(machine=os.uname().machine) for place in LIBRARIES]
    return Chromium(
        FOLDER / BINARY,
        {
            "LD_LIBRARY_PATH": ":".join(map(str, libraries)),
            "XDG_DATA_HOME": str(FOLDER / "usr" / "share"),  # where its fonts are
        },
    )


def _fetch() -> None:
    """Everything is unpacked beside its place and moved there when it is whole."""
    draft = FOLDER.with_name("chromium.new")
    shutil.rmtree(draft, ignore_errors=True)
    for part in ("lists", "archives"):
        (draft / "apt" / part / "partial").mkdir(parents=True)
    options = _options(draft / "apt")
    _run("apt-get", *options, "update")
    _run("apt-get", *options, "--yes", "--download-only", "install", *PACKAGES)
    for package in sorted((draft / "apt" / "archives").glob("*.deb")):
        _run("dpkg", "-x", str(package), str(draft / "root"))
    shutil.rmtree(FOLDER, ignore_errors=True)
    (draft / "root").rename(FOLDER)
    shutil.rmtree(draft)


def _options(apt: Path) -> list[str]:
    settings = {
        "Dir::State::lists": str(apt / "lists"),
        "Dir::Cache": str(apt),
        "Debug::NoLocking": "1",
        "APT::Sandbox::User": "",
        "APT::Install-Recommends": "false",
        "Acquire::Retries": "2",
    }
    words = (("-o", f"{name}={value}") for name, value in settings.items())
    return ["-qq", *(word for pair in words for word in pair)]


def _run(*words: str) -> None:
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{' '.join(words)}: {(done.stdout + done.stderr)[-600:]}"
