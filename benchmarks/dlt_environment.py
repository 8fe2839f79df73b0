"""An environment of its own for dlt, whose S3 extra does not go with Airflow's pinned packages."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from embedded_stack.layout import CHECKOUT

LOCK = Path(__file__).with_name("dlt-requirements.txt")
FOLDER = CHECKOUT / "var" / "bench" / "dlt-venv"
# dlt reports each run to its makers unless told not to, and warns once per batch.
SETTINGS = {"RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "ERROR"}


def dlt_python() -> str:
    """Return the interpreter that has dlt; its environment is made or brought up to date."""
    python = FOLDER / "bin" / "python"
    if not python.exists():
        _uv("venv", "--python", sys.executable, str(FOLDER))
    _uv("pip", "sync", "--python", str(python), "--require-hashes", str(LOCK))
    return str(python)


def dlt_version(package: str) -> str:
    """Return the version that is locked for a package of dlt's environment."""
    found = re.search(rf"^{re.escape(package)}==(\S+)", LOCK.read_text(), re.MULTILINE)
    if found is None:
        raise LookupError(f"{LOCK.name} locks no {package}.")
    return found[1]


def _uv(*words: str) -> None:
    uv = Path(sys.executable).with_name("uv")
    cache = {"UV_CACHE_DIR": str(CHECKOUT / "var" / "cache" / "uv")}
    subprocess.run([str(uv), *words, "--quiet"], check=True, env={**os.environ, **cache})
