"""The janitor of all reports on this Airflow: settles failed runs, removes expired staging."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from airflow.sdk import DAG, get_current_context, task

from reporting import AlertByEmail, AlertBySlack

if TYPE_CHECKING:
    from reporting.definition.delivery import Alert

# Told of what belongs to reports that never got far enough to say whom to tell, or to none.
ALERTS: list[Alert] = [AlertByEmail(to=["data-team@example.com"]), AlertBySlack()]


@task
def end_stranded_runs() -> dict[str, int]:
    """End runs that stand still because the file of their report is broken or gone."""
    from reporting.airflow_edge.stranded import end_stranded_runs as end

    return end()


@task
def settle_failed_runs() -> dict[str, int]:
    """Compensate and announce what no task of a failed run could."""
    from reporting.airflow_edge.janitor import sweep_failed_runs

    return sweep_failed_runs(get_current_context(), ALERTS)


@task
def settle_vanished_runs() -> dict[str, int]:
    """Compensate runs that were deleted, or marked as success, while they worked."""
    from reporting.airflow_edge.leftovers import settle_vanished_runs as settle

    return settle(get_current_context())


@task
def remove_expired_staging() -> dict[str, int]:
    """Remove staged data past its time."""
    from reporting.airflow_edge.leftovers import remove_expired_staging as remove

    return remove(get_current_context())


@task
def collect_dead_letters() -> dict[str, int]:
    """Take messages that nobody could use off the broker, where there is one, and tell of them."""
    from reporting.airflow_edge.dead_letter_watch import collect_dead_letters as collect

    return collect(ALERTS)


@task
def reconcile() -> dict[str, int]:
    """Compare all that runs have made, once a day; repair what rules allow, tell of the rest."""
    from reporting.airflow_edge.reconciliation import reconcile_daily

    return reconcile_daily(get_current_context(), ALERTS)


def _arguments() -> dict[str, Any]:
    return {
        "owner": "reporting",
        "retries": 1,
        "retry_delay": timedelta(seconds=30),
        "execution_timeout": timedelta(minutes=10),
    }


with DAG(
    "report_janitor",
    description="Settles failed report runs and removes staged data past its time",
    schedule=timedelta(minutes=int(os.environ.get("REPORTING_JANITOR_MINUTES", "5"))),
    catchup=False,
    max_active_runs=1,
    dagrun_timeout=timedelta(minutes=30),
    is_paused_upon_creation=False,
    tags={"janitor"},
    default_args=_arguments(),
) as dag:
    [
        end_stranded_runs(),
        settle_failed_runs(),
        settle_vanished_runs(),
        remove_expired_staging(),
        collect_dead_letters(),
        reconcile(),
    ]
