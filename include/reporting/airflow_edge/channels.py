"""Mail and Slack through Airflow's own connections and hooks."""

from __future__ import annotations

import mimetypes
import smtplib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.core.warehouse.receipts import Message
from reporting.definition.delivery import AlertByEmail
from reporting.errors import TerminalError, TransientError

if TYPE_CHECKING:
    from reporting.definition.delivery import Alert

TIMEOUT_SECONDS = 20
# A server that takes the connection and never answers holds a worker, and every mail after this.
MAIL_TIMEOUT_SECONDS = 15
LONGEST_LINE = 998  # bytes, by RFC 5322
FOLDED_LINE = 200  # characters, of four bytes at most


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
    """Send a mail; raises what the server answered when it does not take it.

    Raises:
        TerminalError: the connection names no sender.
        TransientError: the server does not answer.
    """
    with _smtp_hook(conn_id) as hook:
        # The hook's own builder makes HTML mails only, which alarms and terminals do not need.
        client = hook._smtp_client  # noqa: SLF001
        client.ehlo_or_helo_if_needed()
        takes_8bit = client.has_extn("8bitmime")
        message = _message(mail, hook.from_email or hook.smtp_user, takes_8bit=takes_8bit)
        client.send_message(message, mail_options=["BODY=8BITMIME"] if takes_8bit else [])


def send_slack(conn_id: str, text: str) -> None:
    """Post to an incoming webhook; raises when Slack does not take it."""
    from airflow.providers.slack.hooks.slack_webhook import SlackWebhookHook

    SlackWebhookHook(slack_webhook_conn_id=conn_id, timeout=TIMEOUT_SECONDS).send_text(text)


def run_url(dag_id: str, run_id: str) -> str:
    """Return the address of the run's page in Airflow."""
    from airflow.sdk.configuration import conf

    base = conf.get("api", "base_url", fallback="http://localhost:8080").rstrip("/")
    return f"{base}/dags/{quote(dag_id, safe='')}/runs/{quote(run_id, safe='')}"


def _smtp_hook(conn_id: str) -> Any:
    """Return Airflow's hook, made to try once and not for long: receipts are what tries again."""
    from airflow.providers.smtp.hooks.smtp import SmtpHook

    class OneTry(SmtpHook):
        @property
        def smtp_retry_limit(self) -> int:
            return 0

        @property
        def timeout(self) -> int:
            return min(super().timeout or MAIL_TIMEOUT_SECONDS, MAIL_TIMEOUT_SECONDS)

        def _build_client(self) -> smtplib.SMTP_SSL | smtplib.SMTP:
            try:
                return super()._build_client()
            except OSError as error:
                raise TransientError(
                    f"The mail server of connection {conn_id!r} does not answer, "
                    f"it has {self.timeout} s for it: {error}"
                ) from error

    hook = OneTry(conn_id)
    hook.smtp_connection = hook.get_connection(conn_id)
    if not (hook.from_email or hook.smtp_user):
        raise TerminalError(
            f"Connection {conn_id!r} names no sender; add from_email to its extra, "
            'e.g. {"from_email": "reports@example.com"}, or a login.'
        )
    return hook


def _message(mail: Mail, sender: str, *, takes_8bit: bool) -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = mail.subject
    message["Date"] = localtime()
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2] or None)
    text = "\n".join(map(_folded, mail.text.split("\n")))
    message.set_content(text, cte=_encoding(text, takes_8bit=takes_8bit))
    for name, body in mail.files.items():
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        maintype, subtype = kind.split("/")
        message.add_attachment(body, maintype=maintype, subtype=subtype, filename=name)
    return message


def _folded(line: str) -> str:
    """Break a line no mail server takes, so that all the others can be sent as they are."""
    if len(line.encode()) <= LONGEST_LINE:
        return line
    return fill(line, FOLDED_LINE, break_on_hyphens=False)


def _encoding(text: str, *, takes_8bit: bool) -> str:
    """Return the encoding that leaves lines whole, so that a link shows whole in any reader."""
    if text.isascii():
        return "7bit"
    return "8bit" if takes_8bit else "quoted-printable"
