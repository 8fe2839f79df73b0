"""Tells Airflow how far a fetch is, for people who watch it; it never holds up the fetch."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from reporting.core.airflow_names import PROGRESS

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.progress import Progress

log = logging.getLogger(__name__)
SECONDS = 2.0


@contextmanager
def progress_told(context: Context, progress: Progress) -> Iterator[None]:
    """Keep the rows and bytes read so far in the task's state store while the block runs."""
    store: Any = context.get("task_state_store")
    if store is None:
        yield
        return
    is_over = threading.Event()
    # A daemon that nobody waits for: when Airflow does not answer, the fetch goes on.
    threading.Thread(
        target=_tell, args=(store, progress, is_over), name="progress", daemon=True
    ).start()
    try:
        yield
    finally:
        is_over.set()


def _tell(store: Any, progress: Progress, is_over: threading.Event) -> None:
    told = (0, 0)
    while not is_over.wait(SECONDS):
        counts = (progress.rows, progress.bytes)
        if counts == told:
            continue
        try:
            store.set(PROGRESS, {"rows": counts[0], "bytes": counts[1]})
        except Exception as error:  # noqa: BLE001 - whatever Airflow raises, the fetch goes on
            log.debug("Progress was not told: %s", type(error).__name__)
            return
        told = counts
