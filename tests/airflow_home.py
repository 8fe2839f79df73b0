"""A home for Airflow in tests that are not in `tests/dags`."""

from __future__ import annotations

import os

from embedded_stack.layout import CHECKOUT


def use_own_home() -> None:
    """Say where Airflow's home is, before its first import makes one of its own choice."""
    os.environ.setdefault("AIRFLOW_HOME", str(CHECKOUT / "var" / "tests" / "airflow"))
