"""What the janitor must know of a report without its file: its alerts, retries and queues."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reporting.core.run_retry import Policy
from reporting.definition.delivery import Alert, alert_from_json, alert_to_json
from reporting.definition.starts import UpstreamEvent

if TYPE_CHECKING:
    import psycopg

    from reporting.definition.report import Report


def remember_report(connection: psycopg.Connection[Any], report: Report) -> None:
    """Keep the report's alerts, policy of running again and event queues as they are now."""
    alerts = json.dumps([alert_to_json(alert) for alert in report.alerts])
    policy = policy_of(report)
    retry = None if policy is None else json.dumps(_to_json(policy))
    connection.execute(
        "INSERT INTO reporting.report AS known (report, alerts, retry_run, event_queues) "
        "VALUES (%s, %s, %s, %s) ON CONFLICT (report) DO UPDATE SET alerts = excluded.alerts, "
        "retry_run = excluded.retry_run, event_queues = excluded.event_queues "
        "WHERE (known.alerts, known.retry_run, known.event_queues) "
        "IS DISTINCT FROM (excluded.alerts, excluded.retry_run, excluded.event_queues)",
        (report.name, alerts, retry, json.dumps(event_queues(report))),
    )


def alerts_of(connection: psycopg.Connection[Any], report: str) -> Sequence[Alert] | None:
    """Return the report's alerts, or None when none of its runs ever got past its start."""
    row = connection.execute(
        "SELECT alerts FROM reporting.report WHERE report = %s", (report,)
    ).fetchone()
    return None if row is None else [alert_from_json(alert) for alert in row[0]]


def event_queues(report: Report) -> dict[str, str]:
    """Return the queues of the events that start the report, each with the event's name."""
    events = (start for start in report.starts_on if isinstance(start, UpstreamEvent))
    return {event.queue: event.name for event in events if event.queue}


def policy_of(report: Report) -> Policy | None:
    """Return how often and when a failed run of the report is run again; None for never."""
    retry = report.retry_run
    return None if retry is None else Policy(retry.times, retry.after, retry.on.__name__)


def known_policy(connection: psycopg.Connection[Any], report: str) -> Policy | None:
    """Return the policy the report's last run knew; None when there was none."""
    row = connection.execute(
        "SELECT retry_run FROM reporting.report WHERE report = %s", (report,)
    ).fetchone()
    if row is None or row[0] is None:
        return None
    kept = row[0]
    return Policy(kept["times"], timedelta(seconds=kept["after_seconds"]), kept["on"])


def _to_json(policy: Policy) -> dict[str, Any]:
    return {"times": policy.times, "after_seconds": policy.after.total_seconds(), "on": policy.on}
