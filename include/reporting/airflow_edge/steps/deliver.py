"""`deliver`: sends the files and says what is missing; runs only forward, one receipt each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.channels import Mail, alert_messages, run_url, send_mail
from reporting.airflow_edge.connections import places
from reporting.airflow_edge.run_context import run_of
from reporting.core.alert_text import Shortfall
from reporting.core.warehouse.receipts import Message, send_once
from reporting.errors import TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.objects import Bucket
    from reporting.definition.report import Report


def deliver(report: Report, context: Context) -> dict[str, Any]:
    """Send every delivery of the release that was not sent before.

    Returns:
        How many messages there are.

    Raises:
        TransientError: some recipients could not be reached; the others were.
    """
    ti: Any = context["ti"]
    release = ti.xcom_pull(task_ids="store")
    subject = f"release {release['release_id']}"
    with places() as at:
        messages = _deliveries(report, context, release, at.reports)
        messages += _shortfall_alerts(report, context, release)
        failed = {}
        for message in messages:
            if reason := send_once(at.warehouse, message):
                failed[f"{message.channel} to {message.recipient}"] = reason
    if failed:
        listed = "; ".join(f"{who}: {why}" for who, why in failed.items())
        raise TransientError(f"{subject}: not delivered by {listed}")
    return {"messages": len(messages)}


def _deliveries(
    report: Report, context: Context, release: dict[str, Any], files: Bucket
) -> list[Message]:
    period = run_of(report, context).period.key
    title = f"{report.title}, {period} (version {release['version']})"
    return [
        Message(
            f"release {release['release_id']}",
            "email",
            address,
            partial(_send_files, email.conn_id, address, title, release["files"], files),
        )
        for email in report.deliver
        for address in email.to
    ]


def _send_files(conn_id: str, address: str, title: str, keys: list[str], files: Bucket) -> None:
    bodies = {key.rpartition("/")[2]: files.get(key) or b"" for key in keys}
    send_mail(conn_id, Mail(address, title, f"{title}\n\nThe files are attached.", bodies))


def _shortfall_alerts(report: Report, context: Context, release: dict[str, Any]) -> list[Message]:
    if not release["missing"]:
        return []
    run = run_of(report, context)
    shortfall = Shortfall(
        report.title,
        report.name,
        run.period.key,
        run.id.run_id,
        release["version"],
        run_url(report.name, run.id.run_id),
        release["missing"],
    )
    about = f"release {release['release_id']} incomplete"
    return alert_messages(report.alerts, about, shortfall.subject, shortfall.text)
