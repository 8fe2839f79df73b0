"""How waiting for the sources ends; a store that is away ends nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from reporting.airflow_edge import manifest_trigger
from reporting.airflow_edge.manifest_trigger import ManifestTrigger
from reporting.airflow_edge.settings import settings
from tests.integration.scripted_service import Reply, Request, serving

SOURCES = [{"name": "orders", "required": True, "min_rows": 0}]
AWAY = Reply(b"<Error><Code>SlowDown</Code></Error>", 503)
ABSENT = Reply(b"<Error><Code>NoSuchKey</Code></Error>", 404)


@pytest.fixture
def ended(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Any, list[Request]]]:
    """Let a trigger wait, its fetch having succeeded, at a store that answers so.

    Returns the trigger's event and what the store was asked.
    """
    monkeypatch.setattr(manifest_trigger, "FIRST_PAUSE", 0.01)
    states = {"fetch_orders": "success"}
    monkeypatch.setattr(ManifestTrigger, "_task_states", lambda _: states)

    def run(*replies: Reply) -> tuple[Any, list[Request]]:
        left = list(replies)
        with serving(lambda _: left.pop(0) if left[1:] else left[0]) as store:
            extra = {
                "endpoint_url": store.url,
                "region_name": "us-east-1",
                "config_kwargs": {"retries": {"total_max_attempts": 1}},
            }
            known = {"conn_type": "aws", "login": "a", "password": "b", "extra": extra}
            name = f"AIRFLOW_CONN_{settings().store_conn_id.upper()}"
            monkeypatch.setenv(name, json.dumps(known))
            return asyncio.run(_event()), store.requests

    return run


async def _event() -> Any:
    kind, kept = ManifestTrigger(SOURCES).serialize()
    assert kind.endswith("manifest_trigger.ManifestTrigger")
    trigger = ManifestTrigger(**json.loads(json.dumps(kept)))
    # Without what Airflow looks up when it hands a trigger its task.
    trigger._task_instance = SimpleNamespace(dag_id="sales", run_id="manual__1")
    (event,) = [event async for event in trigger.run()]
    return event


def test_a_store_that_is_away_is_waited_for(ended: Any) -> None:
    event, asked = ended(AWAY, Reply(is_cut=True), AWAY, ABSENT)

    assert "its staged data is gone" in event.payload["lost"]["orders"]
    assert len(asked) == 4
