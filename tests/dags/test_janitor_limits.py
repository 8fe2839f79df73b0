"""A task of the janitor ends by itself before Airflow ends it in the middle of something."""

from __future__ import annotations

from datetime import timedelta

from reporting.airflow_edge import channels, janitor, mail, reconciliation, requests
from tests.dags.conftest import DAG_FILES, load

# One undo, or one message, may have begun right before the time was over.
ONE_UNDO = requests.TOTAL
ONE_MESSAGE = timedelta(seconds=max(channels.TIMEOUT_SECONDS * 2, mail.TIMEOUT_SECONDS))
TOLERANCE = timedelta(minutes=1)


def limit_of(task: str) -> timedelta:
    (path,) = (path for path in DAG_FILES if path.stem == "report_janitor")
    limit = load(path).dag.get_task(task).execution_timeout
    assert isinstance(limit, timedelta)
    return limit


def test_failed_runs_are_run_again_before_the_time_of_the_task_is_over() -> None:
    assert janitor.UNDOING + ONE_UNDO < janitor.WORKING
    assert limit_of("settle_failed_runs") >= janitor.WORKING + ONE_MESSAGE + TOLERANCE


def test_reconciliation_holds_up_the_settling_of_failed_runs_for_minutes() -> None:
    assert reconciliation.COMPARING < reconciliation.WORKING <= timedelta(minutes=4)
    assert limit_of("reconcile") >= reconciliation.WORKING + ONE_UNDO + TOLERANCE
