"""What a run that an upstream event has started reports on.

Airflow starts one run for all events that came together, and leaves out one that comes in the
moment between. So the run looks at all events up to now: it answers the first, with all that ask
for the same, and starts a run of its own for each other that no run answers yet.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.run_context import UNDER_WAY, is_run_in
from reporting.core.event_shares import Share, Shares, Told, share_out
from reporting.core.run import RunId
from reporting.core.upstream_event import Happened, first_of_each, key_of_run, told_with
from reporting.core.warehouse.events import sharing_out, take_event, taken_events
from reporting.definition.starts import UpstreamEvent
from reporting.errors import InputError, TransientError

if TYPE_CHECKING:
    import psycopg
    from airflow.sdk import Context

    from reporting.definition.report import Report

log = logging.getLogger(__name__)
ANSWERING = (*UNDER_WAY, "success")


def told_alone(
    connection: psycopg.Connection[Any], report: Report, context: Context
) -> Told | str | None:
    """Decide whether the run answers the event for which it alone was started.

    Returns:
        The event, or the id of the run that answers it already; None when the run was started for
        no single event.
    """
    dag_run: Any = context["dag_run"]
    key = key_of_run(dag_run.run_id)
    if key is None:
        return None
    with sharing_out(connection, report.name):
        holder = _taken(connection, report, context, [key]).get(key, dag_run.run_id)
        take_event(connection, report.name, key, holder)
    # A run that is started for one event is due when it happened.
    return Told((key,), dag_run.run_after) if holder == dag_run.run_id else holder


def asked_of(connection: psycopg.Connection[Any], report: Report, context: Context) -> Share | str:
    """Decide what the run reports on, and start runs for events that ask for something else.

    Returns:
        The share of the first event, or the id of the run that answers it already.

    Raises:
        InputError: an event cannot be run, the others are; or Airflow has forgotten the events.
    """
    run_id = context["dag_run"].run_id
    given, since = list(_given(report, context)), list(_since(report, context))
    events = first_of_each([*given, *since])
    with sharing_out(connection, report.name):
        taken = {
            **taken_events(connection, report.name, [event.key for event in since]),
            **_taken(connection, report, context, [event.key for event in given]),
        }
        shares = share_out(report, events, taken, run_id)
        own, others = _split(shares)
        started = [_start(report, share, context) for share in others]
        answering = [run_id, *started] if own else started
        _note(connection, report, shares, answering, run_id)
    if shares.refused:
        raise InputError(_refusal(shares, started))
    if own is not None:
        return own
    return taken[events[0].key]


def _taken(
    connection: psycopg.Connection[Any], report: Report, context: Context, keys: list[str]
) -> dict[str, str]:
    """Return who answers the events; one that was told again after its run has failed is free."""
    ti, run_id = context["ti"], context["dag_run"].run_id
    found = taken_events(connection, report.name, keys)
    return {
        key: holder
        for key, holder in found.items()
        if holder == run_id or is_run_in(ti, RunId(report.name, holder), ANSWERING)
    }


def _split(shares: Shares) -> tuple[Share | None, list[Share]]:
    """Part what the run answers itself; a run that is about to fail answers nothing."""
    if shares.refused or not shares.asked:
        return None, shares.asked
    return shares.asked[0], shares.asked[1:]


def _note(
    connection: psycopg.Connection[Any],
    report: Report,
    shares: Shares,
    answering: list[str],
    run_id: str,
) -> None:
    for event in shares.refused:
        take_event(connection, report.name, event.key, run_id)
    for share, answered_by in zip(shares.asked, answering, strict=True):
        for event in share.events:
            take_event(connection, report.name, event.key, answered_by)


def _refusal(shares: Shares, started: list[str]) -> str:
    others = f" Started for the other events: {', '.join(started)}."
    return " ".join(shares.refused.values()) + (others if started else "")


def _given(report: Report, context: Context) -> Iterator[Happened]:
    """Yield what Airflow has started the run for.

    Raises:
        InputError: Airflow has forgotten it.
    """
    if not context["triggering_asset_events"]:
        raise InputError(
            "Airflow has forgotten the events that started the run, so nobody knows what it "
            f"reports on; start another with: reports trigger {report.name} --period … --refresh"
        )
    for asset, noted in context["triggering_asset_events"].items():
        yield from (_happened(asset.name, event) for event in noted)


def _since(report: Report, context: Context) -> Iterator[Happened]:
    """Yield what has come since Airflow decided to start the run."""
    since = context["dag_run"].run_after
    for start in report.starts_on:
        if isinstance(start, UpstreamEvent):
            yield from (_happened(start.name, event) for event in _noted_since(start.name, since))


def _happened(name: str, event: Any) -> Happened:
    return Happened(name, event.timestamp, told_with(event.extra))


def _noted_since(name: str, since: datetime) -> list[Any]:
    from airflow.sdk.execution_time.comms import ErrorResponse, GetAssetEventByAsset
    from airflow.sdk.execution_time.task_runner import SUPERVISOR_COMMS

    asked = GetAssetEventByAsset(name=name, uri=None, after=since, before=datetime.now(UTC))
    answer: Any = SUPERVISOR_COMMS.send(asked)
    if isinstance(answer, ErrorResponse):
        raise TransientError(f"Airflow does not tell the events of asset {name!r}: {answer.error}")
    return list(answer.asset_events)


def _start(report: Report, share: Share, context: Context) -> str:
    """Start the run of a share and return its id.

    One that is there and works is the one that is wanted, from a transaction that was lost. One
    that has ended is of an earlier telling and did not answer: another one is.
    """
    from airflow.sdk.exceptions import ErrorType
    from airflow.sdk.execution_time.comms import ErrorResponse, TriggerDagRun
    from airflow.sdk.execution_time.task_runner import SUPERVISOR_COMMS

    ti: Any = context["ti"]
    for run_id in share.events[0].run_ids():
        wanted = TriggerDagRun(
            dag_id=report.name, run_id=run_id, conf=share.asked.conf, run_after=share.told.at
        )
        answer: Any = SUPERVISOR_COMMS.send(wanted)
        is_there = isinstance(answer, ErrorResponse)
        if is_there and answer.error != ErrorType.DAGRUN_ALREADY_EXISTS:
            raise TransientError(f"Airflow does not start run {run_id}: {answer.error}")
        if not is_there or is_run_in(ti, RunId(report.name, run_id), UNDER_WAY):
            break
    log.info("Run %s answers the %s.", run_id, share.events[0])
    return run_id
