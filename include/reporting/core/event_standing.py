"""How far Airflow has come with an upstream event, as its REST API tells it.

A message may be forgotten only when the runs that it has caused exist.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.core.airflow_api import NotFoundError
from reporting.core.upstream_event import Happened, told_with
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi

# A run that Airflow does not start in this time was missed: it leaves out an event that comes in
# the moment in which it starts a run for another one, or while the report is paused.
MISSED_AFTER = timedelta(minutes=1)


class Standing(Enum):
    """What Airflow knows of an event."""

    ABSENT = "Airflow has not noted it"
    NOTED = "a run is still missing"
    ASLEEP = "all reports that start on it are paused"
    STARTED = "every report that is not paused has its run"


class Next(Enum):
    """What is to be done about an announcement now."""

    TELL = "tell Airflow"
    WAIT = "wait"
    FORGET = "acknowledge the message"


@dataclass
class Handover:
    """One announcement on its way into Airflow.

    Attributes:
        since: how far back Airflow may have been told of it.
        told_at: when it was told last, as far as is known.
    """

    since: datetime
    told_at: datetime | None = None

    def decide(self, standing: Standing, now: datetime) -> Next:
        """Return what is next; an event that is told again is recognised by its id."""
        if standing is Standing.STARTED:
            return Next.FORGET
        if self.told_at is None:
            self.told_at = now
            return Next.TELL if standing is Standing.ABSENT else Next.WAIT
        if standing is Standing.ASLEEP or now - self.told_at < MISSED_AFTER:
            return Next.WAIT
        self.told_at = now
        return Next.TELL


def standing_of(api: AirflowApi, event: Happened, since: datetime) -> Standing:
    """Return how far an event has come.

    Args:
        api: Airflow's REST API.
        event: with an id.
        since: how far to look back for it.

    Raises:
        TransientError: Airflow does not answer, or has not read the report's file yet. It also
            answers 500 while a run of such an event waits for a slot, which holds up the next.
    """
    asset = _asset(api, event.name)
    noted = [found for found in _noted(api, asset["id"], since) if _is(found, event)]
    if not noted:
        return Standing.ABSENT
    awake = [dag for dag in _scheduled(asset) if _is_awake(api, dag)]
    if not awake:
        return Standing.ASLEEP
    started = {run["dag_id"] for found in noted for run in found["created_dagruns"]}
    missing = [
        dag for dag in awake if dag not in started and not _has_own_run(api, dag, event, since)
    ]
    return Standing.NOTED if missing else Standing.STARTED


def _asset(api: AirflowApi, name: str) -> dict[str, Any]:
    for asset in api.pages("assets", "assets", name_pattern=name):
        if asset["name"] == name:
            return asset
    raise TransientError(f"Airflow knows no asset {name!r}; has it read the report's file?")


def _noted(api: AirflowApi, asset_id: int, since: datetime) -> Iterator[dict[str, Any]]:
    return api.pages(
        "assets/events", "asset_events", asset_id=asset_id, timestamp_gte=since.isoformat()
    )


def _is(found: dict[str, Any], event: Happened) -> bool:
    return bool(told_with(found["extra"]).get("id") == event.told["id"])


def _scheduled(asset: dict[str, Any]) -> list[str]:
    return [str(reference["dag_id"]) for reference in asset["scheduled_dags"]]


def _is_awake(api: AirflowApi, dag_id: str) -> bool:
    try:
        found = api.get(f"dags/{quote(dag_id, safe='')}")
    except NotFoundError:
        return False
    return not found["is_paused"] and not found["is_stale"]


def _has_own_run(api: AirflowApi, dag_id: str, event: Happened, since: datetime) -> bool:
    """Say whether a run was started for the event alone; one of an earlier telling is none."""
    runs = api.pages(
        f"dags/{quote(dag_id, safe='')}/dagRuns",
        "dag_runs",
        run_id_prefix_pattern=event.run_id,
        run_after_gte=since.isoformat(),
    )
    return any(True for _ in runs)
