"""`deliver` sends what was published, and says so when there is nothing to send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from reporting import Email
from reporting.airflow_edge.mail import Mail
from reporting.airflow_edge.steps import deliver as step
from reporting.core.warehouse.receipts import Message
from reporting.errors import IntegrityError, TerminalError
from tests.specimens import a_report

RELEASE = {
    "release_id": 7,
    "version": 2,
    "files": ["r/a.csv", "r/b.csv"],
    "missing": {},
    "quarantined": {},
}


@dataclass
class Shelf:
    """A bucket in memory."""

    held: Mapping[str, bytes]
    name: str = "reports"

    def get(self, key: str) -> bytes | None:
        return self.held.get(key)


@dataclass
class Ti:
    """A task that hears what `store` has returned."""

    release: Mapping[str, Any] | None

    def xcom_pull(self, task_ids: str) -> Mapping[str, Any] | None:
        return self.release if task_ids == "store" else None


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Mail]:
    """Return the mails that were sent; every one is sent at once, and no warehouse is asked."""
    mails: list[Mail] = []

    def send_once(_: object, message: Message) -> None:
        message.send()

    run_id = SimpleNamespace(run_id="manual__1")
    period = SimpleNamespace(period=SimpleNamespace(key="2024-05-01"), id=run_id)
    monkeypatch.setattr(step, "send_once", send_once)
    monkeypatch.setattr(step, "send_mail", lambda _, mail: mails.append(mail))
    monkeypatch.setattr(step, "run_of", lambda *_: period)
    return mails


def deliver(
    monkeypatch: pytest.MonkeyPatch, release: Mapping[str, Any] | None, held: Mapping[str, bytes]
) -> dict[str, Any]:
    @contextmanager
    def places() -> Iterator[Any]:
        yield SimpleNamespace(warehouse=None, reports=Shelf(held))

    monkeypatch.setattr(step, "places", places)
    report = replace(a_report(), deliver=[Email(to=["ann@x.test", "bob@x.test"])])
    context: Any = {"ti": Ti(release)}
    return step.deliver(report, context)


def test_every_recipient_is_sent_the_files(
    monkeypatch: pytest.MonkeyPatch, sent: list[Mail]
) -> None:
    held = {"r/a.csv": b"1", "r/b.csv": b""}

    assert deliver(monkeypatch, RELEASE, held) == {"messages": 2}
    assert [mail.to for mail in sent] == ["ann@x.test", "bob@x.test"]
    assert sent[0].files == {"a.csv": b"1", "b.csv": b""}
    assert "(version 2)" in sent[0].subject


def test_every_recipient_is_told_what_the_figures_are_without(
    monkeypatch: pytest.MonkeyPatch, sent: list[Mail]
) -> None:
    short = {**RELEASE, "missing": {"weather": "HTTP 500"}, "quarantined": {"orders": 3}}

    deliver(monkeypatch, short, {"r/a.csv": b"1", "r/b.csv": b""})

    for mail in sent:
        assert mail.subject.endswith("(version 2), incomplete")
        assert "  weather: HTTP 500\n  3 rows of orders, set aside" in mail.text
    assert len(sent) == 2


def test_a_file_that_is_gone_is_not_mailed_as_an_empty_one(
    monkeypatch: pytest.MonkeyPatch, sent: list[Mail]
) -> None:
    with pytest.raises(IntegrityError, match=r"lacks r/b\.csv.*clear store"):
        deliver(monkeypatch, RELEASE, {"r/a.csv": b"1"})

    assert sent == []


def test_a_store_marked_success_by_hand_has_published_nothing(
    monkeypatch: pytest.MonkeyPatch, sent: list[Mail]
) -> None:
    with pytest.raises(TerminalError, match=r"did not publish in this run.*clear store"):
        deliver(monkeypatch, None, {})

    assert sent == []
