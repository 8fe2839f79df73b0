"""The report center is loaded in the API server only, and a fault of it takes nothing down."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from embedded_stack.layout import CHECKOUT

LOADED = """
import json, sys
sys.argv = json.loads(sys.argv[1])
import reporting_plugin
found = [name for name in sys.modules if name.startswith(("report_center", "fastapi", "jinja2."))]
apps = [app["url_prefix"] for app in reporting_plugin.ReportingPlugin.fastapi_apps]
print(json.dumps({"modules": found, "apps": apps}))
"""
BROKEN = "raise RuntimeError('a fault of a page')\n"


def loaded(*command: str, first: Path = CHECKOUT / "plugins") -> dict[str, Any]:
    """Import the plugin in a process of its own, as the process of that command does."""
    path = os.pathsep.join(map(str, (first, CHECKOUT / "plugins", CHECKOUT / "include")))
    answer = subprocess.run(
        [sys.executable, "-c", LOADED, json.dumps(["airflow", *command])],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("command", ["scheduler", "dag-processor", "triggerer", "celery"])
def test_no_other_process_loads_any_of_it(command: str) -> None:
    found = loaded(command)
    assert found["apps"] == []
    assert [name for name in found["modules"] if name.startswith("report_center")] == []


def test_the_api_server_mounts_it_behind_the_callbacks() -> None:
    assert loaded("api-server")["apps"] == ["/reports/api/callbacks", "/reports"]


def test_f66_a_fault_in_it_leaves_airflow_and_the_callbacks(tmp_path: Path) -> None:
    package = tmp_path / "report_center"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "app.py").write_text(BROKEN)
    assert loaded("api-server", first=tmp_path)["apps"] == ["/reports/api/callbacks"]


def test_airflow_takes_none_of_its_files_for_plugins() -> None:
    from airflow._shared.module_loading import find_path_from_directory

    found = find_path_from_directory(str(CHECKOUT / "plugins"), ".airflowignore")
    assert {Path(path).name for path in found if path.endswith(".py")} == {"reporting_plugin.py"}
