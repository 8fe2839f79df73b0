"""`report_janitor`: the safety net for what no task of a run can do itself.

Airflow does not start `compensate` when a run is marked failed by hand or ends by its time
limit, and nothing runs when `deliver` fails. The janitor finds such runs over Airflow's REST
API, undoes what is left, and runs them again or raises the alarm. All of it is idempotent and safe
beside running reports: a run that was cleared meanwhile is left alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from reporting.airflow_edge.alarm import Alarm, raise_alarm
from reporting.airflow_edge.connections import airflow_api
from reporting.airflow_edge.places import places
from reporting.airflow_edge.run_again import is_run_again
from reporting.airflow_edge.run_context import dag_run_of, identity_of
from reporting.airflow_edge.run_plan import EndedRun, plan_left
from reporting.core.airflow_api import EVERY_DAG, AirflowApi
from reporting.core.airflow_names import TAG
from reporting.core.alert_text import UNREADABLE
from reporting.core.redact import without_secrets
from reporting.core.run import RunId
from reporting.core.run_retry import LEFT, PATIENCE, PUBLISHED
from reporting.core.saga import cancel_unused, compensate
from reporting.core.states import STORE
from reporting.core.warehouse.ledger import CLOSING_STEP, Entry, read_entries
from reporting.core.warehouse.release import find_release
from reporting.core.warehouse.reports import alerts_of
from reporting.core.warehouse.run_retries import find_plan, give_up, note_sweep
from reporting.core.warehouse.runs import find_staged, is_open
from reporting.core.warehouse.schema import ensure_schema
from reporting.errors import TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.saga import Places
    from reporting.core.states import TaskStates
    from reporting.definition.delivery import Alert

log = logging.getLogger(__name__)
LOOK_BACK = timedelta(days=7)
# A task of a run marked failed by hand is killed within seconds; until then it could still write.
SETTLE_AFTER = timedelta(seconds=20)
Done = TypeVar("Done")


@dataclass(frozen=True)
class FailedRun:
    """A failed run.

    Attributes:
        id: which run, in the life that failed.
        title: title of its report.
        asked_period: the param `period`, if one was given.
        states: state of every task.
        ended_at: when it failed.
        is_unreadable: whether the file of its report is broken or gone now.
    """

    id: RunId
    title: str
    asked_period: str | None
    states: TaskStates = field(hash=False)
    ended_at: datetime
    is_unreadable: bool = False


@dataclass(frozen=True)
class Undone:
    """What became of a failed run: nothing is undone of one whose figures are out.

    Attributes:
        published: whether they are out.
        entries: ledger entries.
        left: what could not be undone yet, and why.
    """

    published: bool
    entries: Sequence[Entry]
    left: Sequence[str] = ()


def sweep_failed_runs(context: Context, alerts: Sequence[Alert]) -> dict[str, int]:
    """Compensate, then run again or announce, every failed run that is not settled yet.

    All are compensated before the first is announced: a mail server that does not answer must
    not keep the claims of other runs.

    Args:
        context: of the janitor's task.
        alerts: where to write when a report's own alerts are not known.

    Returns:
        How many failed runs there are.

    Raises:
        TransientError: some could not be settled; the next sweep tries again.
    """
    faults: list[str] = []
    with places() as at:
        ensure_schema(at.warehouse)
        note_sweep(at.warehouse)
        runs = list(failed_runs(airflow_api(), context))
        undone = {run: _tried(faults, run, partial(_undo, at, context, run)) for run in runs}
        for run, outcome in undone.items():
            if outcome is not None:
                _tried(faults, run, partial(finish, at, context, alerts, run, outcome))
    if faults:
        raise TransientError("; ".join(faults))
    return {"failed": len(runs)}


def failed_runs(api: AirflowApi, context: Context) -> Iterator[FailedRun]:
    """Yield the failed runs of all reports that ended within `LOOK_BACK`."""
    # A report whose file is gone or broken is stale, and its runs are to be settled all the same.
    found_dags = api.pages("dags", "dags", tags=[TAG], exclude_stale=False)
    dags = {dag["dag_id"]: dag for dag in found_dags}
    now = datetime.now(UTC)
    ended = {
        "end_date_gte": (now - LOOK_BACK).isoformat(),
        "end_date_lte": (now - SETTLE_AFTER).isoformat(),
    }
    for run in api.pages(f"dags/{EVERY_DAG}/dagRuns", "dag_runs", state="failed", **ended):
        report, run_id = run["dag_id"], run["dag_run_id"]
        found = dag_run_of(context["ti"], RunId(report, run_id)) if report in dags else None
        if found is not None:
            asked = (run["conf"] or {}).get("period")
            states = api.task_states(report, run_id)
            ended_at = datetime.fromisoformat(run["end_date"])
            title, is_stale = dags[report]["dag_display_name"], dags[report]["is_stale"]
            yield FailedRun(identity_of(found), title, asked, states, ended_at, is_stale)


def _tried(faults: list[str], run: FailedRun, act: Callable[[], Done]) -> Done | None:
    """Do it; a fault is noted and keeps no other run from being settled."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - whatever it is, the other runs are still due
        reason = without_secrets(f"{type(error).__name__}: {error}")
        faults.append(f"{run.id.report} {run.id.run_id}: {reason}")
        return None


def _undo(at: Places, context: Context, run: FailedRun) -> Undone | None:
    """Compensate one run unless that was done; None when it is not this janitor's business."""
    if run.states.get(STORE) == "success" or find_release(at.warehouse, run.id):
        return _published(at, context, run)
    entries = read_entries(at.warehouse, run.id)
    is_closed = any(entry.step == CLOSING_STEP for entry in entries)
    # A process that outlived its run may have taken up work after it was undone.
    if not is_closed or is_open(at.warehouse, run.id):
        log.info("Compensating run %s of %s.", run.id.run_id, run.id.report)
        entries = compensate(at, run.id, partial(_is_still_failed, context, run.id))
        if not _is_still_failed(context, run.id):
            return None
    left = [f"undo {entry.step}: {entry.outcome}" for entry in entries if not entry.is_done]
    return Undone(False, [entry for entry in entries if entry.step != CLOSING_STEP], left)


def _published(at: Places, context: Context, run: FailedRun) -> Undone | None:
    """Undo nothing but what was asked and is no part of the figures; the alarm does not wait."""
    if not _is_still_failed(context, run.id):
        return None
    entry = cancel_unused(at, run.id)
    log.log(logging.INFO if entry.is_done else logging.WARNING, "Undo request: %s", entry.outcome)
    return Undone(published=True, entries=())


def _is_still_failed(context: Context, run: RunId) -> bool:
    """Say whether the run has not been cleared since it was listed."""
    found: Any = dag_run_of(context["ti"], run)
    return found is not None and found.state == "failed" and identity_of(found) == run


def finish(
    at: Places, context: Context, alerts: Sequence[Alert], run: FailedRun, outcome: Undone
) -> None:
    """Run a run again if its report says so, else tell of it; but first all is to be undone.

    Args:
        at: where the run left things.
        context: of the janitor's task.
        alerts: where to write when the report's own alerts are not known.
        run: what has failed.
        outcome: what became of it.

    Raises:
        TransientError: something is left to undo, which is told after an hour; or Airflow does not
            clear the run; or an alert was not sent.
    """
    if outcome.left:
        if datetime.now(UTC) > run.ended_at + PATIENCE:
            give_up(at.warehouse, run.id, LEFT)
            _announce(at, context, alerts, run, outcome)
        raise TransientError("; ".join(outcome.left))
    against = PUBLISHED if outcome.published else None
    ended = EndedRun(run.id, run.states, run.ended_at, against)
    plan = plan_left(at.warehouse, context, ended)
    if plan is not None and plan.given_up is None:
        is_still_failed = partial(_is_still_failed, context, run.id)
        if is_run_again(at.warehouse, airflow_api(), run.id, is_still_failed):
            return
    _announce(at, context, alerts, run, outcome)


def _announce(
    at: Places, context: Context, alerts: Sequence[Alert], run: FailedRun, outcome: Undone
) -> None:
    plan = find_plan(at.warehouse, run.id)
    staged = find_staged(at.warehouse, run.id)
    alarm = Alarm(
        title=run.title,
        run=run.id,
        period=staged.period if staged else run.asked_period or "unknown",
        states=run.states,
        undone=outcome.entries,
        published=outcome.published,
        again=None if plan is None else plan.text,
        otherwise=UNREADABLE if run.is_unreadable else None,
    )
    known = alerts_of(at.warehouse, run.id.report)
    unsent = raise_alarm(at.warehouse, context, alerts if known is None else known, alarm)
    if unsent:
        raise TransientError("; ".join(f"alert by {who}: {why}" for who, why in unsent.items()))
