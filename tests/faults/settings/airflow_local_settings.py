"""Airflow's local settings on a stack that is tested: each process looks for strikes."""

from __future__ import annotations

from typing import Any

__all__ = ["task_policy"]


def task_policy(task: Any) -> None:  # noqa: ARG001 - Airflow calls it for every task it reads
    """Install the strikes when a DAG has been read; nothing of the task is changed."""
    from tests.faults.strikes import install

    install()
