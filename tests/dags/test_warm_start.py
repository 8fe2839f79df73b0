"""What tasks import is loaded where tasks are forked, and a fault there stops nothing."""

from __future__ import annotations

from importlib import import_module

import pytest

from reporting.airflow_edge import warm_start


@pytest.mark.parametrize(
    ("command", "forks"),
    [
        ("airflow scheduler --skip-serve-logs", True),
        ("airflow celery worker", True),
        ("airflow api-server", False),
        ("airflow dag-processor", False),
        ("airflow triggerer", False),
        ("celery inspect ping", False),
    ],
)
def test_only_where_tasks_are_forked(command: str, forks: bool) -> None:
    assert warm_start.forks_tasks(command.split()) is forks


@pytest.mark.parametrize("module", warm_start.HEAVY)
def test_every_module_exists(module: str) -> None:
    assert import_module(module)


def test_a_module_that_is_broken_is_left_to_the_tasks(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(warm_start, "HEAVY", ("json", "no_such_module"))
    warm_start.warm_start()
    assert "no_such_module could not be loaded ahead" in caplog.text
