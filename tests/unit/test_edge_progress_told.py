"""How far a fetch is, is told beside it; a fault in the telling leaves the fetch alone."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from reporting.airflow_edge import progress_told as told
from reporting.core.progress import Progress

pytestmark = pytest.mark.unit
SOON = 10.0


class Store:
    """Keeps what it is told, and says when."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.kept: list[Any] = []
        self.was_told = Event()
        self.fault = fault

    def set(self, key: str, value: Any) -> None:
        self.kept.append((key, value))
        self.was_told.set()
        if self.fault:
            raise self.fault


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(told, "SECONDS", 0.01)


def test_rows_and_bytes_are_told_while_it_runs() -> None:
    store, progress = Store(), Progress("orders")
    context: Any = {"task_state_store": store}
    with told.progress_told(context, progress):
        progress(5, 70)
        assert store.was_told.wait(SOON)
    assert store.kept[0] == ("progress", {"rows": 5, "bytes": 70})


def test_a_fault_in_the_telling_leaves_the_fetch_alone() -> None:
    store, progress = Store(RuntimeError("Airflow is away")), Progress("orders")
    context: Any = {"task_state_store": store}
    with told.progress_told(context, progress):
        progress(5, 70)
        assert store.was_told.wait(SOON)
        progress(6, 80)
    assert len(store.kept) == 1


def test_where_there_is_no_store_nothing_is_told() -> None:
    context: Any = {}
    with told.progress_told(context, Progress("orders")):
        pass
