"""Mail and Slack through Airflow's own connections and hooks."""

from __future__ import annotations

import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.core.warehouse.receipts import Message
from reporting.definition.delivery import AlertByEmail

if TYPE_CHECKING:
    from reporting.definition.delivery import Alert

TIMEOUT_SECONDS = 20


@dataclass(frozen=True)
class Mail:
    """One mail to one address.

    Attributes:
        to: address.
        subject: subject line.
        text: plain text.
        files: attachments, name to content.
    """

    to: str
    subject: str
    text: str
    files: Mapping[str, bytes] = field(default_factory=dict)


def alert_messages(alerts: Sequence[Alert], about: str, subject: str, text: str) -> list[Message]:
    """Return one message per channel and recipient; `about` makes each unique."""
    messages = []
    for alert in alerts:
        if isinstance(alert, AlertByEmail):
            messages += [
                Message(
                    about,
                    "email",
                    address,
                    partial(send_mail, alert.conn_id, Mail(address, subject, text)),
                )
                for address in alert.to
            ]
        else:
            send = partial(send_slack, alert.conn_id, f"*{subject}*\n{text}")
            messages.append(Message(about, "slack", alert.conn_id, send))
    return messages


def send_mail(conn_id: str, mail: Mail) -> None:
    """Send a mail; raises what the server answered when it does not take it."""
    from airflow.providers.smtp.hooks.smtp import SmtpHook

    with SmtpHook(conn_id) as hook:
        # The hook's own builder makes HTML mails only, which alarms and terminals do not need.
        client: Any = hook._smtp_client  # noqa: SLF001
        client.send_message(_message(mail, hook.from_email or hook.smtp_user))


def send_slack(conn_id: str, text: str) -> None:
    """Post to an incoming webhook; raises when Slack does not take it."""
    from airflow.providers.slack.hooks.slack_webhook import SlackWebhookHook

    SlackWebhookHook(slack_webhook_conn_id=conn_id, timeout=TIMEOUT_SECONDS).send_text(text)


def run_url(dag_id: str, run_id: str) -> str:
    """Return the address of the run's page in Airflow."""
    from airflow.sdk.configuration import conf

    base = conf.get("api", "base_url", fallback="http://localhost:8080").rstrip("/")
    return f"{base}/dags/{quote(dag_id, safe='')}/runs/{quote(run_id, safe='')}"


def _message(mail: Mail, sender: str) -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = localtime()
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2] or None)
    message.set_content(mail.text)
    for name, body in mail.files.items():
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        maintype, subtype = kind.split("/")
        message.add_attachment(body, maintype=maintype, subtype=subtype, filename=name)
    return message
