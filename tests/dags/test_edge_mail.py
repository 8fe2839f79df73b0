"""Mails through Airflow's own connection and hook, to real servers on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from socket import create_server
from time import monotonic
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from reporting.airflow_edge import mail
from reporting.airflow_edge.mail import Mail, send_mail
from reporting.errors import TerminalError, TransientError

SENDER = {"from_email": "reports@x.test"}
LINK = "Open: http://localhost:8080/dags/airline_on_time/runs/" + "manual__2024-05-01T00" * 6


class Box:
    """Takes every mail."""

    def __init__(self) -> None:
        self.raw: list[bytes] = []

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - named by aiosmtpd
        self.raw.append(envelope.original_content or b"")
        return "250 OK"

    def mail(self) -> EmailMessage:
        """Return the one mail that came."""
        (raw,) = self.raw
        return message_from_bytes(raw, policy=policy.default)


@contextmanager
def mail_server(**options: Any) -> Iterator[tuple[Box, int]]:
    box = Box()
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    controller = Controller(box, hostname="127.0.0.1", port=port, **options)
    controller.start()
    try:
        yield box, port
    finally:
        controller.stop()


def connect(
    monkeypatch: pytest.MonkeyPatch, port: int, login: str | None = None, **extra: Any
) -> None:
    """Tell Airflow of a mail server, as a person would by its environment."""
    server = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "login": login}
    plain = {"disable_ssl": True, "disable_tls": True}
    monkeypatch.setenv("AIRFLOW_CONN_POST", json.dumps(server | {"extra": plain | extra}))


@pytest.mark.parametrize("words", ["plain", "schön … 日本", "x" * 3000, "日" * 2000, "a b " * 900])
def test_a_link_is_whole_when_a_mail_is_read_without_a_mail_program(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with mail_server() as (box, port):
        connect(monkeypatch, port, **SENDER)
        send_mail("post", Mail("ann@x.test", "Sales", f"Reason: {words}\n\n{LINK}\n"))

    assert LINK.encode() in box.raw[0].splitlines()
    assert max(map(len, box.raw[0].splitlines())) <= 998
    assert "".join(words.split()) in "".join(box.mail().get_content().split())


def test_a_server_of_ascii_only_is_sent_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    with mail_server(decode_data=True) as (box, port):
        connect(monkeypatch, port, **SENDER)
        send_mail("post", Mail("ann@x.test", "Sales", "schön"))

    assert box.raw[0].isascii()
    assert box.mail().get_content().strip() == "schön"


def test_a_file_stays_the_same_beside_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "größe\r\n1\r\n".encode()
    with mail_server() as (box, port):
        connect(monkeypatch, port, **SENDER)
        send_mail("post", Mail("ann@x.test", "Größe", "schön", {"a.csv": body}))

    (attached,) = box.mail().iter_attachments()
    assert attached.get_payload(decode=True) == body
    assert box.mail()["Subject"] == "Größe"


def test_a_login_is_a_sender(monkeypatch: pytest.MonkeyPatch) -> None:
    with mail_server() as (box, port):
        connect(monkeypatch, port, login="me@x.test")
        send_mail("post", Mail("ann@x.test", "Sales", "text"))

    assert box.mail()["From"] == "me@x.test"


def test_a_connection_without_a_sender_says_what_to_add(monkeypatch: pytest.MonkeyPatch) -> None:
    connect(monkeypatch, 9)  # nobody listens: it must be noticed before

    with pytest.raises(TerminalError, match="Connection 'post' names no sender; add from_email"):
        send_mail("post", Mail("ann@x.test", "Sales", "text"))


@pytest.mark.parametrize(
    ("own", "limit"),
    [({}, 1), ({"timeout": 1}, 15), ({"timeout": 0}, 1), ({"disable_ssl": False}, 1)],
)
def test_a_server_that_never_answers_is_given_up_after_one_short_try(
    own: dict[str, Any], limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "TIMEOUT_SECONDS", limit)
    started = monotonic()
    with create_server(("127.0.0.1", 0)) as silent:
        connect(monkeypatch, silent.getsockname()[1], **SENDER, **own)
        with pytest.raises(TransientError, match="'post' does not answer, it has 1 s"):
            send_mail("post", Mail("ann@x.test", "Sales", "text"))

    assert monotonic() - started < 5
