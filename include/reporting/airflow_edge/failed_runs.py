"""Which runs have failed, and what Airflow knows of each: asked of the few that are not settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.run_context import dag_run_of, identity_of
from reporting.core.airflow_api import EVERY_DAG, AirflowApi, NotFoundError
from reporting.core.airflow_names import TAG
from reporting.core.run import RunId
from reporting.core.warehouse.failed_runs import Failure

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.states import TaskStates

# A task of a run marked failed by hand is killed within seconds; until then it could still write.
SETTLE_AFTER = timedelta(seconds=20)


@dataclass(frozen=True)
class ListedRun:
    """A failed run, as far as the listing of Airflow tells.

    Attributes:
        title: title of its report.
        asked_period: the param `period`, if one was given.
        is_unreadable: whether the file of its report is broken or gone now.
    """

    title: str
    asked_period: str | None
    is_unreadable: bool


@dataclass(frozen=True)
class FailedRun:
    """A failed run.

    Attributes:
        id: which run, in the life that failed.
        title: title of its report.
        asked_period: the param `period`, if one was given.
        states: state of every task; none when Airflow knows its tasks no more.
        ended_at: when it failed.
        is_unreadable: whether the file of its report is broken or gone now.
    """

    id: RunId
    title: str
    asked_period: str | None
    states: TaskStates = field(hash=False)
    ended_at: datetime
    is_unreadable: bool = False


def list_failures(api: AirflowApi, since: datetime) -> dict[Failure, ListedRun]:
    """Return the failed runs of all reports that ended since then."""
    # A report whose file is gone or broken is stale, and its runs are to be settled all the same.
    found_dags = api.pages("dags", "dags", tags=[TAG], exclude_stale=False)
    dags = {dag["dag_id"]: dag for dag in found_dags}
    ended = {
        "end_date_gte": since.isoformat(),
        "end_date_lte": (datetime.now(UTC) - SETTLE_AFTER).isoformat(),
    }
    runs = api.pages(f"dags/{EVERY_DAG}/dagRuns", "dag_runs", state="failed", **ended)
    return {
        _failure(run): _listed(run, dags[run["dag_id"]]) for run in runs if run["dag_id"] in dags
    }


def read_failed_run(
    api: AirflowApi, context: Context, failure: Failure, listed: ListedRun
) -> FailedRun | None:
    """Return what Airflow knows of a failed run; None when it was deleted meanwhile."""
    found = dag_run_of(context["ti"], RunId(failure.report, failure.run_id))
    if found is None:
        return None
    return FailedRun(
        identity_of(found),
        listed.title,
        listed.asked_period,
        _states(api, failure),
        failure.ended_at,
        listed.is_unreadable,
    )


def is_still_failed(context: Context, run: RunId) -> bool:
    """Say whether the run has not been cleared since it was read."""
    found: Any = dag_run_of(context["ti"], run)
    return found is not None and found.state == "failed" and identity_of(found) == run


def _failure(run: Mapping[str, Any]) -> Failure:
    return Failure(run["dag_id"], run["dag_run_id"], datetime.fromisoformat(run["end_date"]))


def _listed(run: Mapping[str, Any], dag: Mapping[str, Any]) -> ListedRun:
    return ListedRun(dag["dag_display_name"], (run["conf"] or {}).get("period"), dag["is_stale"])


def _states(api: AirflowApi, failure: Failure) -> TaskStates:
    try:
        return api.task_states(failure.report, failure.run_id)
    except NotFoundError:  # the run is there, and no version of its DAG any more
        return {}
