"""What a run that an event has started does when another run works on the same already.

That one answers the event if it began after it. Else it may have read its sources before, so the
run waits for its end and makes a version of its own. It waits as Airflow's sensors do that are
rescheduled: in Airflow's database alone, with no worker slot, no try and no triggerer.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk.exceptions import AirflowRescheduleException

from reporting.airflow_edge.holding import has_ended
from reporting.core.warehouse.answer import find_ahead

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Context

    from reporting.core.event_shares import Told
    from reporting.core.run import Run

log = logging.getLogger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=10), timedelta(minutes=2)


def find_answering(
    connection: psycopg.Connection[Any], run: Run, told: Told, context: Context
) -> str | None:
    """Take the claim, or find the run that answers the events, too.

    Returns:
        That run's id; None when the claim is taken.

    Raises:
        AirflowRescheduleException: a run works on the same with data that may be older than the
            events; `init` looks again later, until the limit of the run.
    """
    ended, age = has_ended(run.id.report, context), datetime.now(UTC) - told.at
    ahead = find_ahead(connection, run, told.keys, age, ended)
    if ahead is None:
        return None
    if ahead.answers:
        return ahead.run_id
    dag_run: Any = context["dag_run"]
    pause = pause_after(datetime.now(UTC) - (dag_run.start_date or dag_run.run_after))
    log.info(
        "Run %s does the same and may have read its sources before the event; when it has ended, "
        "this run makes a version of its own. Looking again in %s.",
        ahead.run_id,
        pause,
    )
    raise AirflowRescheduleException(datetime.now(UTC) + pause)  # type: ignore[no-untyped-call]


def pause_after(waited: timedelta) -> timedelta:
    """Return the pause before the next look: a tenth of what was waited, in bounds."""
    return min(max(waited / 10, FIRST_PAUSE), LONGEST_PAUSE)
