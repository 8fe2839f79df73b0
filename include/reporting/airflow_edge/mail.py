"""One mail through Airflow's SMTP connection: one try, not for long, and readable as it is."""

from __future__ import annotations

import mimetypes
import smtplib
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from textwrap import fill
from typing import Any

from reporting.errors import TerminalError, TransientError

# A server that takes the connection and never answers holds a worker, and every mail after this.
TIMEOUT_SECONDS = 15
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


def _smtp_hook(conn_id: str) -> Any:
    """Return Airflow's hook, made to try once and not for long: receipts are what tries again."""
    from airflow.providers.smtp.hooks.smtp import SmtpHook

    class OneTry(SmtpHook):
        @property
        def smtp_retry_limit(self) -> int:
            return 0

        @property
        def timeout(self) -> int:
            return min(super().timeout or TIMEOUT_SECONDS, TIMEOUT_SECONDS)

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
