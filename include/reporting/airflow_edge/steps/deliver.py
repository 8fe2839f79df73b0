"""`deliver`: sends the files and says what is missing; runs only forward, one receipt each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from reporting.airflow_edge.channels import alert_messages, center_url, run_url
from reporting.airflow_edge.mail import Mail, send_mail
from reporting.airflow_edge.places import places
from reporting.airflow_edge.run_context import run_of
from reporting.core.shortfall import Shortfall, delivery_text
from reporting.core.warehouse.receipts import Message, send_once
from reporting.errors import IntegrityError, TerminalError, TransientError

if TYPE_CHECKING:
    from airflow.sdk import Context

    from reporting.core.objects import Bucket
    from reporting.definition.report import Report


def deliver(report: Report, context: Context) -> dict[str, Any]:
    """Send every delivery of the release that was not sent before.

    Returns:
        How many messages there are.

    Raises:
        TerminalError: `store` has published nothing in this run.
        IntegrityError: a file of the release is gone.
        TransientError: some recipients could not be reached; the others were.
    """
    release = _release(context)
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


def _release(context: Context) -> dict[str, Any]:
    ti: Any = context["ti"]
    release: dict[str, Any] | None = ti.xcom_pull(task_ids="store")
    if release is None:
        raise TerminalError(
            "There is nothing to deliver: store did not publish in this run, it may have been "
            "marked success by hand; clear store with its downstream tasks."
        )
    return release


def _deliveries(
    report: Report, context: Context, release: dict[str, Any], files: Bucket
) -> list[Message]:
    period = run_of(report, context).period.key
    title = f"{report.title}, {period} (version {release['version']})"
    subject, text = delivery_text(title, release["missing"], release["quarantined"])
    # Read before the first is sent: no try mends a file that is gone, as it may a recipient.
    bodies = _attachments(release["files"], files) if report.deliver else {}
    mail = partial(Mail, subject=subject, text=text, files=bodies)
    return [
        Message(
            f"release {release['release_id']}",
            "email",
            address,
            partial(send_mail, email.conn_id, mail(address)),
        )
        for email in report.deliver
        for address in email.to
    ]


def _attachments(keys: list[str], files: Bucket) -> dict[str, bytes]:
    bodies = {}
    for key in keys:
        body = files.get(key)
        if body is None:
            raise IntegrityError(
                f"Bucket {files.name!r} lacks {key}, which the release names; "
                "clear store with its downstream tasks to publish it anew."
            )
        bodies[key.rpartition("/")[2]] = body
    return bodies


def _shortfall_alerts(report: Report, context: Context, release: dict[str, Any]) -> list[Message]:
    if not release["missing"] and not release["quarantined"]:
        return []
    run = run_of(report, context)
    shortfall = Shortfall(
        report.title,
        report.name,
        run.period.key,
        run.id.run_id,
        release["release_id"],
        release["version"],
        run_url(report.name, run.id.run_id),
        release["missing"],
        release["quarantined"],
        center_url(report.name, run.id.run_id),
    )
    about = f"release {release['release_id']} incomplete"
    return alert_messages(report.alerts, about, shortfall.subject, shortfall.text)
