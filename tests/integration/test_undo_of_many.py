"""The undo of a run that has left more objects than one request can remove (F58)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from reporting.core.objects import Bucket
from reporting.core.saga import Places, compensate
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.runs import register_staging
from tests.integration.sparing_client import Sparing
from tests.specimens import a_run

pytestmark = pytest.mark.integration


def test_f58_keys_the_store_refuses_with_200_are_named_and_gone_when_it_is_asked_again(
    places: Places, report_name: str
) -> None:
    """1,500 objects; of the first thousand one is denied and one has to slow down."""
    run = a_run(report_name)
    register_staging(places.warehouse, run, timedelta(days=1))
    take_claim(places.warehouse, run)
    keys = [f"{run.id.prefix}orders/dead/part-{number:05d}" for number in range(1500)]
    with ThreadPoolExecutor(10) as threads:
        list(threads.map(lambda key: places.staging.put(key, b"x"), keys))
    spared = {keys[3]: "AccessDenied", keys[7]: "SlowDown"}
    refusing = Sparing(places.staging.client, spared)

    entries = {
        entry.step: entry
        for entry in compensate(replace(places, staging=Bucket(refusing, "staging")), run.id)  # type: ignore[arg-type]
    }

    assert not entries["fetch"].is_done
    told = entries["fetch"].outcome
    assert [key for key, code in spared.items() if f"{key} ({code})" not in told] == [], told
    assert list(places.staging.keys(run.id.prefix)) == sorted(spared)
    assert entries["init"].is_done
    assert places.warehouse.execute("SELECT 1 FROM reporting.claim").fetchall() == []
    assert all(entry.is_done for entry in compensate(places, run.id))
    assert list(places.staging.keys(run.id.prefix)) == []
