"""Tells of differences that no rule repairs: each once per channel, in one message per report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.channels import alert_messages
from reporting.core.reconcile.text import receipt_of, subject_of, text_of
from reporting.core.warehouse.receipts import Message, send_once
from reporting.core.warehouse.reports import alerts_of

if TYPE_CHECKING:
    import psycopg

    from reporting.core.reconcile.difference import Difference
    from reporting.core.sweep import Sweep
    from reporting.definition.delivery import Alert

TOLD = """
SELECT subject FROM reporting.receipt
WHERE subject = ANY(%s) AND channel = %s AND recipient = %s AND is_sent
"""


def tell(
    connection: psycopg.Connection[Any],
    alerts: Sequence[Alert],
    differences: Sequence[Difference],
    sweep: Sweep,
) -> list[str]:
    """Tell of each difference once; return whom it could not be told, with the reason.

    Args:
        connection: the warehouse.
        alerts: whom to tell of what belongs to no known report.
        differences: what a person has to decide on.
        sweep: remembers the channels that do not answer.
    """
    unsent = []
    ordered = sorted(differences, key=lambda one: one.report or "")
    for name, group in groupby(ordered, key=lambda one: one.report or ""):
        known = alerts_of(connection, name) if name else None
        of_report = list(group)
        for alert in alerts if known is None else known:
            unsent += _told(connection, alert, of_report, sweep)
    return unsent


def _told(
    connection: psycopg.Connection[Any],
    alert: Alert,
    differences: Sequence[Difference],
    sweep: Sweep,
) -> list[str]:
    unsent = []
    for recipient in alert_messages([alert], "", "", ""):
        new = _untold(connection, recipient, differences)
        if new:
            report = new[0].report
            subject, text = subject_of(report, new), text_of(report, new)
            messages = alert_messages([alert], receipt_of(new[0]), subject, text, sweep)
            (message,) = (m for m in messages if m.recipient == recipient.recipient)
            if reason := send_once(connection, message):
                unsent.append(f"alert by {message.channel} to {message.recipient}: {reason}")
            else:
                _note_rest(connection, message, new[1:])
    return unsent


def _untold(
    connection: psycopg.Connection[Any], to: Message, differences: Sequence[Difference]
) -> list[Difference]:
    receipts = [receipt_of(one) for one in differences]
    told = connection.execute(TOLD, (receipts, to.channel, to.recipient)).fetchall()
    known = {row[0] for row in told}
    return [one for one, name in zip(differences, receipts, strict=True) if name not in known]


def _note_rest(
    connection: psycopg.Connection[Any], message: Message, others: Sequence[Difference]
) -> None:
    """Write the receipts of the differences that the message has told of, too."""
    for one in others:
        send_once(connection, replace(message, subject=receipt_of(one), send=lambda: None))
