"""What ended runs leave that no failed run accounts for: the janitor removes it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from reporting.airflow_edge.connections import broker, staging_bucket, warehouse
from reporting.airflow_edge.places import places
from reporting.airflow_edge.run_context import UNDER_WAY, dag_run_of, identity_of, is_run_in
from reporting.airflow_edge.settings import settings
from reporting.core.run import RunId
from reporting.core.saga import compensate, discard_expired
from reporting.core.service.dead_letters import DeadLetters
from reporting.core.warehouse.runs import expired_runs, open_runs
from reporting.core.warehouse.schema import ensure_schema

if TYPE_CHECKING:
    from airflow.sdk import Context

log = logging.getLogger(__name__)


def settle_vanished_runs(context: Context) -> dict[str, int]:
    """Compensate runs that ended without publishing and left no failed run to find.

    Such are runs that were deleted while they worked, runs marked as success by hand, and green
    runs of which a single early task was cleared.

    Returns:
        How many there were.
    """
    gone = 0
    with places() as at:
        ensure_schema(at.warehouse)
        for staged in open_runs(at.warehouse):
            run = RunId(staged.report, staged.run_id)
            if _has_vanished(context, run):
                log.info("Run %s of %s works no more; undoing it.", run.run_id, run.report)
                found = dag_run_of(context["ti"], run)
                compensate(at, identity_of(found) if found is not None else run)
                gone += 1
    return {"vanished": gone}


def remove_expired_staging() -> dict[str, int]:
    """Remove staged data past its time; return how many runs and objects."""
    with places() as at:
        ensure_schema(at.warehouse)
        runs = [RunId(run.report, run.run_id) for run in expired_runs(at.warehouse)]
        objects = sum(discard_expired(at, run) for run in runs)
    return {"runs": len(runs), "objects": objects}


def collect_dead_letters() -> dict[str, int]:
    """Take messages that nobody could use off the broker.

    Returns:
        How many there were; none on an installation without a broker.
    """
    from airflow.sdk.exceptions import AirflowNotFoundException

    try:
        at = broker(settings().broker_conn_id)
    except AirflowNotFoundException:
        return {"dead_letters": 0}
    with warehouse() as connection, at.channel() as channel:
        ensure_schema(connection)
        return {"dead_letters": DeadLetters(connection, staging_bucket()).collect(channel)}


def _has_vanished(context: Context, run: RunId) -> bool:
    # A failed run is compensated, and told of, by the sweep of failed runs.
    return not is_run_in(context["ti"], run, (*UNDER_WAY, "failed"))
