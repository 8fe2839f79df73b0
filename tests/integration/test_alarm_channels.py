"""An alarm over real channels: one that refuses stops no other, and nobody is told twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from socket import create_server
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from reporting.airflow_edge import alarm
from reporting.airflow_edge.alarm import Alarm, raise_alarm
from reporting.core.run import RunId
from reporting.core.warehouse.ledger import Entry
from reporting.definition.delivery import Alert, AlertByEmail, AlertBySlack

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
ALERTS: list[Alert] = [AlertByEmail(to=["ann@x.test"], conn_id="post"), AlertBySlack("chat")]
REASON = "ValueError: the figures do not add up (sales.py, line 7)"


def _left(task_ids: str, key: str = "", **_: object) -> object:
    """Return what the tasks of the run have left."""
    return REASON if (task_ids, key) == ("compute", "failure") else None


CONTEXT: Any = {"ti": SimpleNamespace(xcom_pull=_left)}
ALARM = Alarm(
    "Sales",
    RunId("sales", "manual__1", 0, "2024-05-02T05:00:00+00:00"),
    "2024-05-01",
    {"init": "success", "compute": "failed", "store": "upstream_failed"},
    [Entry("init", "the period is free for another run", is_done=True)],
)
RECEIPTS = "SELECT channel, is_sent, error FROM reporting.receipt ORDER BY channel"


class Post:
    """A mail server's answers."""

    def __init__(self, answer: str) -> None:
        self.answer, self.texts = answer, list[str]()

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802 - named by aiosmtpd
        self.texts.append(bytes(envelope.original_content or b"").decode())
        return self.answer


@contextmanager
def post(monkeypatch: pytest.MonkeyPatch, answer: str) -> Iterator[Post]:
    """Run a mail server that answers so to every mail; afterwards its port refuses."""
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    plain = {"disable_ssl": True, "disable_tls": True, "from_email": "reports@x.test"}
    server = {"conn_type": "smtp", "host": "127.0.0.1", "port": port, "extra": plain}
    monkeypatch.setenv("AIRFLOW_CONN_POST", json.dumps(server))
    box = Post(answer)
    controller = Controller(box, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield box
    finally:
        controller.stop()


def receipts(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(RECEIPTS).fetchall()


def test_f10_a_mail_server_that_refuses_keeps_the_chat_from_nothing(
    warehouse: Connection, chat: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers 550, for a second run it takes no connection; the first error stays the reason."""
    second = replace(ALARM, run=replace(ALARM.run, run_id="manual__2"))
    with post(monkeypatch, "550 no such user here"):
        unsent = raise_alarm(warehouse, CONTEXT, ALERTS, ALARM)
    assert list(unsent) == ["email to ann@x.test"]
    assert "550" in unsent["email to ann@x.test"]
    assert "550" in str(receipts(warehouse)[0])
    refused = raise_alarm(warehouse, CONTEXT, ALERTS, second)

    assert "refused" in refused["email to ann@x.test"].lower()
    assert [(channel, is_sent) for channel, is_sent, _ in receipts(warehouse)] == [
        ("email", False),
        ("email", False),
        ("slack", True),
        ("slack", True),
    ]
    assert len(chat) == 2
    assert all(f"Reason: {REASON}" in text for text in chat)


def test_f10_once_the_mail_server_is_back_only_the_mail_is_sent(
    warehouse: Connection, chat: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with post(monkeypatch, "550 no such user here"):
        raise_alarm(warehouse, CONTEXT, ALERTS, ALARM)
    with post(monkeypatch, "250 OK") as box:
        assert raise_alarm(warehouse, CONTEXT, ALERTS, ALARM) == {}

    assert (len(box.texts), len(chat)) == (1, 1)
    for text in (*box.texts, *chat):
        assert "/reports/runs/sales/manual__1 (button" in text
        assert "/dags/sales/runs/manual__1" in text


def test_whoever_ended_the_run_is_named(
    warehouse: Connection, chat: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str | None]] = []

    def ann(run: RunId, step: str | None) -> str:
        asked.append((run.run_id, step))
        return "ann"

    monkeypatch.setattr(alarm, "find_who_ended", ann)
    without_words: Any = {"ti": SimpleNamespace(xcom_pull=lambda **_: None)}
    assert raise_alarm(warehouse, without_words, [AlertBySlack("chat")], ALARM) == {}
    assert asked == [("manual__1", "compute")]
    assert "Reason: ended by hand by ann: " in chat[0]
    with_words = replace(ALARM, run=replace(ALARM.run, run_id="manual__2"))
    raise_alarm(warehouse, CONTEXT, [AlertBySlack("chat")], with_words)
    assert len(asked) == 1


def test_f70_one_failure_is_told_once_however_often_and_by_whom_it_is_raised(
    warehouse: Connection, chat: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice for one failed task, then once more when a second task of the run has failed."""
    worse = replace(ALARM, states={**ALARM.states, "fetch_orders": "failed"})
    with post(monkeypatch, "250 OK") as box:
        for alarm in (ALARM, ALARM, worse):
            assert raise_alarm(warehouse, CONTEXT, ALERTS, alarm) == {}

        assert (len(box.texts), len(chat)) == (1, 1)
        cleared = replace(worse, run=replace(worse.run, clear_number=1))
        raise_alarm(warehouse, CONTEXT, ALERTS, cleared)
    assert (len(box.texts), len(chat)) == (2, 2)
    assert "Also failed: fetch_orders" in chat[1]
