"""Claims and receipts: the database decides who works, and what was sent (R15, R31)."""

from __future__ import annotations

from threading import Barrier, Event, Thread
from typing import Any

import psycopg
import pytest

from embedded_stack.conditions import wait_for
from reporting.core.warehouse.claim import (
    hold_claim,
    release_claims,
    take_claim,
    take_over_claim,
)
from reporting.core.warehouse.ledger import Entry, read_entries, write_entry
from reporting.core.warehouse.receipts import Message, send_once
from reporting.core.warehouse.reports import alerts_of, remember_report
from reporting.definition.delivery import AlertByEmail, AlertBySlack
from reporting.errors import ClaimError
from tests.specimens import a_report, a_run

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]


def count(connection: Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM reporting.{table}").fetchone()
    assert row is not None
    return int(row[0])


def race(database: str, runs: list[Any], act: Any) -> list[str]:
    """Let one thread per run act at the same moment; return the answers in order of the runs."""
    barrier, answers = Barrier(len(runs)), [""] * len(runs)

    def one(place: int) -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            barrier.wait()
            answers[place] = act(connection, runs[place])

    threads = [Thread(target=one, args=(place,)) for place in range(len(runs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def is_all_sent(connection: Connection, subject: str, count: int) -> bool:
    """Say whether `count` messages about `subject` were taken."""
    row = connection.execute(
        "SELECT count(*) FROM reporting.receipt WHERE subject = %s AND is_sent", (subject,)
    ).fetchone()
    return row is not None and row[0] >= count


def test_f26_of_20_at_once_just_one_holds_the_claim(warehouse: Connection, database: str) -> None:
    runs = [a_run(run_id=f"run_{number}") for number in range(20)]

    holders = race(database, runs, take_claim)

    assert len(set(holders)) == 1
    assert holders[0] in {run.id.run_id for run in runs}
    assert count(warehouse, "claim") == 1


@pytest.mark.usefixtures("warehouse")
def test_f26_different_requests_do_not_meet(database: str) -> None:
    runs = [a_run(run_id=f"run_{n}", params={"n": n % 5}) for n in range(20)]

    holders = race(database, runs, take_claim)

    assert len(set(holders)) == 5
    for number, holder in enumerate(holders):
        assert int(holder.removeprefix("run_")) % 5 == number % 5


def test_of_20_that_take_over_from_a_dead_run_just_one_gets_it(
    warehouse: Connection, database: str
) -> None:
    take_claim(warehouse, a_run(run_id="dead"))
    runs = [a_run(run_id=f"run_{number}") for number in range(20)]

    def take_over(connection: Connection, run: Any) -> str:
        take_over_claim(connection, run, "dead")
        return take_claim(connection, run)

    holders = race(database, runs, take_over)

    assert len(set(holders)) == 1
    assert holders[0] != "dead"


def test_a_claim_is_kept_by_its_holder_and_refused_to_others(warehouse: Connection) -> None:
    mine, other = a_run(), a_run(run_id="other")
    assert [take_claim(warehouse, mine) for _ in range(2)] == ["manual__1"] * 2
    hold_claim(warehouse, mine, lambda _: False)

    with pytest.raises(ClaimError, match=r"'manual__1' works on the same period and params"):
        hold_claim(warehouse, other, lambda _: False)
    assert release_claims(warehouse, other.id) == 0
    assert release_claims(warehouse, mine.id) == 1
    assert release_claims(warehouse, mine.id) == 0
    hold_claim(warehouse, other, lambda _: False)


def test_a_step_takes_over_from_a_run_that_has_ended(warehouse: Connection) -> None:
    take_claim(warehouse, a_run(run_id="dead"))
    hold_claim(warehouse, a_run(run_id="living"), lambda holder: holder == "dead")
    assert take_claim(warehouse, a_run(run_id="third")) == "living"


def test_a_claim_of_the_living_is_not_taken_over_by_mistake(warehouse: Connection) -> None:
    take_claim(warehouse, a_run())

    take_over_claim(warehouse, a_run(run_id="other"), dead="a third")

    assert take_claim(warehouse, a_run(run_id="other")) == "manual__1"


def message(send: Any, recipient: str = "a@example.com") -> Message:
    return Message("release 1", "email", recipient, send)


def test_two_senders_at_once_send_once(warehouse: Connection, database: str) -> None:
    """F70: the second waits for the first one's outcome."""
    sending, sent = Event(), []

    def slowly() -> None:
        sent.append("first")
        sending.set()
        with psycopg.connect(database, autocommit=True) as admin:
            waiting = (
                "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
                " AND wait_event_type = 'Lock'"
            )
            wait_for(
                lambda: admin.execute(waiting).fetchone(),
                seconds=20,
                otherwise=lambda: "the second sender does not wait for this one",
            )

    def first() -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            send_once(connection, message(slowly))

    thread = Thread(target=first)
    thread.start()
    assert sending.wait(20)
    assert send_once(warehouse, message(lambda: sent.append("second"))) is None
    thread.join()

    assert sent == ["first"]
    assert is_all_sent(warehouse, "release 1", 1)


def receipt(connection: Connection) -> tuple[Any, ...] | None:
    return connection.execute("SELECT is_sent, tries, error FROM reporting.receipt").fetchone()


def test_f10_a_failing_sender_is_recorded_and_tried_again(warehouse: Connection) -> None:
    sent: list[str] = []

    def refused() -> None:
        raise ConnectionRefusedError("550 no such user")

    assert send_once(warehouse, message(refused)) == "ConnectionRefusedError: 550 no such user"
    assert receipt(warehouse) == (False, 1, "ConnectionRefusedError: 550 no such user")
    assert not is_all_sent(warehouse, "release 1", 1)
    assert send_once(warehouse, message(refused)) is not None
    assert send_once(warehouse, message(lambda: sent.append("x"))) is None
    assert send_once(warehouse, message(refused)) is None
    assert sent == ["x"]
    assert receipt(warehouse) == (True, 3, None)


def test_f8_a_receipt_holds_no_secret_and_can_be_stored(warehouse: Connection) -> None:
    def refused() -> None:
        raise OSError("url: /services/T0/B0/S3CR3T \0 https://x/?k=S3CR3T")

    reason = send_once(warehouse, message(refused))

    assert reason is not None
    assert "S3CR3T" not in f"{reason} {receipt(warehouse)}"


def test_a_crash_while_sending_leaves_no_receipt(warehouse: Connection, database: str) -> None:
    """It rather sends again than never."""

    class DiedError(BaseException):
        pass

    def dies() -> None:
        raise DiedError

    with psycopg.connect(database, autocommit=True) as connection, pytest.raises(DiedError):
        send_once(connection, message(dies))
    assert receipt(warehouse) is None
    sent: list[str] = []
    assert send_once(warehouse, message(lambda: sent.append("x"))) is None
    assert sent == ["x"]


def test_recipients_and_subjects_are_apart(warehouse: Connection) -> None:
    sent: list[str] = []
    for recipient in ("a@b.c", "d@e.f", "a@b.c"):
        send_once(warehouse, message(lambda to=recipient: sent.append(to), recipient))

    assert sent == ["a@b.c", "d@e.f"]
    assert is_all_sent(warehouse, "release 1", 2)
    assert not is_all_sent(warehouse, "release 10", 1)


def test_the_ledger_keeps_what_is_done_per_life(warehouse: Connection) -> None:
    run = a_run().id
    write_entry(warehouse, run, Entry("store", "failed: down", is_done=False))
    write_entry(warehouse, run, Entry("store", "2 removed", is_done=True))
    write_entry(warehouse, run, Entry("store", "0 removed", is_done=True))
    write_entry(warehouse, run, Entry("store", "failed: late", is_done=False))
    write_entry(warehouse, a_run(clear_number=1).id, Entry("store", "1 removed", is_done=True))

    assert read_entries(warehouse, run) == [Entry("store", "2 removed", is_done=True)]
    assert read_entries(warehouse, a_run(clear_number=1).id)[0].outcome == "1 removed"


def test_alerts_are_remembered_as_they_are_now(warehouse: Connection) -> None:
    alerts = [AlertByEmail(to=["a@b.c"]), AlertBySlack("own")]
    assert alerts_of(warehouse, "sales") is None
    remember_report(warehouse, a_report())
    remember_report(warehouse, a_report(alerts=alerts))

    assert alerts_of(warehouse, "sales") == alerts
