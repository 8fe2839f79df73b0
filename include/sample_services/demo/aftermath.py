"""What a failed run has left: what was undone, who was told, where the log is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporting.cli.verdict import failure_of, in_undo_order, undone_of
from reporting.core.warehouse.ledger import Entry
from reporting.errors import TransientError
from sample_services.demo.places import open_warehouse
from sample_services.demo.stack_home import REPORTS, StackHome, shown

if TYPE_CHECKING:
    import psycopg

    from reporting.cli.run_view import RunView

UNDONE = """
SELECT step, outcome, is_done FROM reporting.compensation AS c
WHERE report = %(report)s AND run_id = %(run_id)s AND step <> 'compensate' AND clear_number = (
    SELECT max(clear_number) FROM reporting.compensation
    WHERE report = c.report AND run_id = c.run_id)
"""
ALERTS = """
SELECT channel, recipient, is_sent, error FROM reporting.receipt
WHERE starts_with(subject, %(subject)s) ORDER BY tried_at
"""


@dataclass(frozen=True)
class Alert:
    """One alert of the run.

    Attributes:
        channel: `email` or `slack`.
        recipient: address or connection.
        is_sent: whether the far side took it.
        error: why not.
    """

    channel: str
    recipient: str
    is_sent: bool
    error: str | None


@dataclass(frozen=True)
class Aftermath:
    """What the warehouse keeps about a failed run.

    Attributes:
        undone: ledger of its compensation, newest life.
        alerts: who was told.
        fault: why the warehouse could not be asked.
    """

    undone: Sequence[Entry]
    alerts: Sequence[Alert]
    fault: str | None = None


def find_aftermath(view: RunView) -> Aftermath:
    """Ask the warehouse; without it, what the run itself has told.

    The warehouse may be what broke the run, and that must not hide the failure.
    """
    try:
        with open_warehouse() as warehouse:
            return read_aftermath(warehouse, view)
    except TransientError as error:
        return Aftermath(undone_of(view), [], str(error))


def read_aftermath(connection: psycopg.Connection[Any], view: RunView) -> Aftermath:
    """Read ledger and receipts of the run."""
    known = {"report": view.report, "run_id": view.run_id}
    subject = {"subject": f"failed {view.report} {view.run_id} #"}
    return Aftermath(
        in_undo_order(Entry(*row) for row in connection.execute(UNDONE, known).fetchall()),
        [Alert(*row) for row in connection.execute(ALERTS, subject).fetchall()],
    )


def aftermath_lines(view: RunView, found: Aftermath, home: StackHome) -> list[str]:
    """Return the failure as the alert tells it, then where to look further."""
    failure = replace(failure_of(view), undone=found.undone, command=REPORTS)
    folder = {"email": home.mail, "slack": home.slack}
    told = [
        f"  {alert.channel} to {alert.recipient}: "
        + (f"sent, kept in {shown(folder[alert.channel])}" if alert.is_sent else f"{alert.error}")
        for alert in found.alerts
    ]
    return [
        failure.text,
        "",
        "Alerts:",
        *(told or [f"  {found.fault or 'none yet; the janitor sees to it'}"]),
        f"Log: {shown(log_folder(view, failure.step))}",
    ]


def log_folder(view: RunView, step: str | None) -> Path:
    """Return where Airflow keeps the log of the step, or of all steps."""
    base = Path(os.environ.get("AIRFLOW__LOGGING__BASE_LOG_FOLDER", "logs"))
    folder = base / f"dag_id={view.report}" / f"run_id={view.run_id}"
    return folder / f"task_id={step}" if step else folder
