"""Watches the backlog of dead letters: collects them, tells of new ones, removes settled ones."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.channels import alert_messages
from reporting.airflow_edge.open_dead_letters import broker_of_dead_letters, open_dead_letters
from reporting.core.dead_letter_text import subject_of, text_of
from reporting.core.sweep import Sweep
from reporting.core.warehouse.dead_letters import Backlog, Wanted, backlogs
from reporting.core.warehouse.receipts import Message, send_once
from reporting.core.warehouse.reports import alerts_of
from reporting.errors import TransientError

if TYPE_CHECKING:
    import psycopg

    from reporting.definition.delivery import Alert

log = logging.getLogger(__name__)
METRIC = "reports.dead_letters.waiting"


def collect_dead_letters(alerts: Sequence[Alert]) -> dict[str, int]:
    """Take messages that nobody could use off the broker, and tell whom they concern.

    Args:
        alerts: where to write of letters of no known report.

    Returns:
        How many came, how many wait now, and how many old ones were removed; nothing on an
        installation without a broker.

    Raises:
        TransientError: the broker cannot be reached, or somebody could not be told.
    """
    from airflow.sdk.observability.stats import gauge

    at = broker_of_dead_letters()
    if at is None:
        return {}
    with open_dead_letters() as letters:
        with at.channel() as channel:
            came = letters.collect(channel)
        counts = {
            "came": came,
            "waiting": letters.count(Wanted()),
            "removed": letters.remove_settled(),
        }
        gauge(METRIC, counts["waiting"])
        log.info("Dead letters: %s", counts)
        _announce(letters.warehouse, alerts)
    return counts


def _announce(connection: psycopg.Connection[Any], alerts: Sequence[Alert]) -> None:
    """Tell of each backlog whose newest letter was not told of yet: once per channel."""
    sweep = Sweep()
    unsent = {
        f"alert by {message.channel} to {message.recipient}": reason
        for backlog in backlogs(connection)
        for message in _messages(connection, alerts, backlog, sweep)
        if (reason := send_once(connection, message))
    }
    if unsent:
        raise TransientError("; ".join(f"{who}: {why}" for who, why in unsent.items()))


def _messages(
    connection: psycopg.Connection[Any],
    alerts: Sequence[Alert],
    backlog: Backlog,
    sweep: Sweep,
) -> list[Message]:
    newest = backlog.newest
    # Unique, and new when the letter dies again.
    about = f"dead letter {newest.dead_letter_id} after {newest.tries} tries"
    told = _alerts_of(connection, backlog.reports, alerts)
    return alert_messages(told, about, subject_of(backlog), text_of(backlog), sweep)


def _alerts_of(
    connection: psycopg.Connection[Any], reports: Sequence[str], otherwise: Sequence[Alert]
) -> Sequence[Alert]:
    """Return the alerts of all whom it concerns; each is told once, whoever names it."""
    found = [known for report in reports if (known := alerts_of(connection, report)) is not None]
    return [alert for known in found for alert in known] if found else otherwise
