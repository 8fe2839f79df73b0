"""Airflow as the DAG files see it, with a home of its own."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from embedded_stack.layout import CHECKOUT

# Before the first import of Airflow, which would make a home folder of its own choice.
os.environ.setdefault("AIRFLOW_HOME", str(CHECKOUT / "var" / "tests" / "airflow"))

DAG_FILES = sorted((CHECKOUT / "dags").glob("*.py"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.dags)


def load(path: Path) -> ModuleType:
    """Import a DAG file as Airflow does: by its path, under a name of its own."""
    name = f"loaded_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
