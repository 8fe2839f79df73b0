"""Dead letters on a live Airflow, by the command line, as a person deals with them (R17)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from embedded_stack.layout import CHECKOUT
from reporting.core.airflow_api import run_path
from reporting.core.service.broker import Broker
from reporting.messages import Request
from reporting.queues import TRIES
from tests.docs_pages import blocks, commands
from tests.e2e.day_jobs import ROWS
from tests.e2e.live import Live
from tests.integration.dead_messages import fail_until_dead, set_aside
from tests.integration.message_service import serving

QUEUE = "e2e.orders"
PAGE = CHECKOUT / "docs" / "how-to" / "dead-letters.md"


@pytest.fixture(scope="module")
def broker(live: Live) -> Broker:
    known = live.connection("REPORTS_BROKER")
    return Broker(known["host"], known["port"], known["login"], known["password"], known["schema"])


def orders(_: Request) -> Iterator[dict[str, Any]]:
    yield from ROWS


@dataclass(frozen=True)
class Said:
    """What a command has printed, and its exit code."""

    code: int
    text: str


def reports(live: Live, *words: str) -> Said:
    """Run the command line as somebody with the stack's login, and nobody at the keyboard."""
    done = subprocess.run(
        [str(CHECKOUT / ".venv" / "bin" / "reports"), *words],
        env=os.environ | live.stack.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Said(done.returncode, done.stdout + done.stderr)


def given_up(live: Live, broker: Broker, day: str) -> tuple[str, str]:
    """Let a service give up the request of a run; return the run and the number of the letter."""
    with serving(broker, QUEUE, orders):
        pass  # its queue is there now
    run_id = live.trigger("messaging", period=day)
    live.await_task("messaging", run_id, "fetch_orders", "deferred")
    fail_until_dead(broker, QUEUE)
    live.janitor()
    ((number,),) = live.rows(
        "SELECT dead_letter_id FROM reporting.dead_letter WHERE run_id = %s", run_id
    )
    return run_id, str(number)


def test_a_request_that_was_given_up_is_sent_again_and_the_run_goes_green(
    live: Live, broker: Broker
) -> None:
    run_id, number = given_up(live, broker, "2013-08-11")

    listed = reports(live, "dead-letters", "--report", "messaging", "--source", "orders")
    assert listed.code == 0
    assert f"{number}  messaging  orders" in listed.text
    shown = reports(live, "dead-letters", "show", number)
    for text in (run_id, QUEUE, f"Tries:        {TRIES + 1}", '"day":', "(waiting)"):
        assert text in shown.text
    asked = reports(live, "dead-letters", "discard", number)
    assert (asked.code, "add --yes" in asked.text) == (2, True)

    with serving(broker, QUEUE, orders):
        replayed = reports(live, "dead-letters", "replay", number)
        assert (replayed.code, replayed.text) == (0, f"Replayed {number}\n")
        assert live.ended("messaging", run_id) == "success"
    assert live.audited("replay_dead_letter", run_id=run_id) == ["admin"]
    found = live.rows(
        "SELECT id, name FROM results.messaging__orders WHERE period = '2013-08-11' ORDER BY id"
    )
    assert found == [(row["id"], row["name"]) for row in ROWS]

    again = reports(live, "dead-letters", "replay", number)
    assert (again.code, again.text) == (2, f"refused: Dead letter {number} was replayed already.\n")
    assert number not in reports(live, "dead-letters", "--report", "messaging").text
    everything = reports(live, "dead-letters", "--report", "messaging", "--all", "--json")
    assert '"settled_by": "admin"' in everything.text


def test_a_letter_whose_run_has_ended_is_refused_with_the_reason(
    live: Live, broker: Broker
) -> None:
    run_id, number = given_up(live, broker, "2013-08-12")
    # Its request is not cancelled yet: the run itself says that nobody waits.
    live.api.patch(run_path("messaging", run_id), {"state": "failed"})

    early = reports(live, "dead-letters", "replay", number, "999999")
    assert early.code == 2
    assert f"nobody waits for it: run {run_id} is over" in early.text
    assert "refused: Dead letter 999999 is unknown" in early.text

    discarded = reports(live, "dead-letters", "discard", number, "--yes")
    assert (discarded.code, discarded.text) == (0, f"Discarded {number}\n")
    assert live.audited("discard_dead_letter", run_id=run_id) == ["admin"]
    assert "it is not kept any more" in reports(live, "dead-letters", "show", number).text


def test_those_whom_it_concerns_are_told_once(live: Live, broker: Broker) -> None:
    run_id, number = given_up(live, broker, "2013-08-13")
    live.janitor()

    (mail,) = live.mails(run_id)
    assert "report messaging" in mail
    assert f"reports dead-letters replay {number}" in mail
    live.api.patch(run_path("messaging", run_id), {"state": "failed"})


def test_f8_no_secret_of_a_message_gets_out(live: Live, broker: Broker) -> None:
    url = "https://u:p%40ss@api.test/v1?api_key=S3CR3T"
    body = f'{{"password": "p@ss", "of": "{url}"}}'.encode()
    set_aside(broker, body, queue="q", reason=url, source=url, report=url, run_id=url)
    live.janitor()
    ((number,),) = live.rows(
        "SELECT dead_letter_id FROM reporting.dead_letter WHERE reason LIKE '%%api.test%%'"
    )

    told = [
        reports(live, "dead-letters", "show", str(number)).text,
        reports(live, "dead-letters", "--json").text,
        reports(live, "dead-letters", "replay", str(number)).text,
        *live.mails("api.test"),
        *live.slacks("api.test"),
        *(path.read_text() for path in live.home.glob("log/*.log")),
        *(path.read_text() for path in live.home.glob("log/tasks/dag_id=report_janitor/**/*.log")),
    ]

    assert "api.test" in told[0]
    assert live.mails("api.test")
    for secret in ("S3CR3T", "p@ss", "p%40ss"):
        assert [text for text in told if secret in text] == []


def test_the_how_to_can_be_followed(live: Live, broker: Broker) -> None:
    run_id, sent = given_up(live, broker, "2013-08-14")
    other, put_away = given_up(live, broker, "2013-08-15")
    commands_there = [
        command.line.removeprefix(".venv/bin/reports ").replace("17", sent).replace("18", put_away)
        for block in blocks(PAGE, "console")
        for command in commands(block)
        if command.line.startswith(".venv/bin/reports ")
    ]

    said = {line: reports(live, *line.split()) for line in commands_there}

    assert [line for line, done in said.items() if done.code != 0] == []
    assert {words.split()[1] for words in commands_there if " " in words} >= {"show", "replay"}
    with serving(broker, QUEUE, orders):
        assert live.ended("messaging", run_id) == "success"
    live.api.patch(run_path("messaging", other), {"state": "failed"})
