"""What answers a request: the database decides, in one transaction (R15)."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import psycopg
import pytest

from reporting.core.already_published import AlreadyPublished
from reporting.core.run import Run
from reporting.core.warehouse.answer import find_answer, find_worker
from reporting.core.warehouse.claim import release_claims
from reporting.core.warehouse.publish import publish
from tests.integration.publishing import Connection, data, edition, publish_new
from tests.specimens import a_report, a_run

pytestmark = pytest.mark.integration

REPORT = a_report()
ROWS = data(REPORT, {"id": 1, "name": "a"})
HOLDERS = "SELECT run_id FROM reporting.claim"


def nobody(_: str) -> bool:
    """Say of every run that it still works."""
    return False


def test_what_nobody_has_published_is_worked_on(warehouse: Connection) -> None:
    run = a_run()

    assert find_answer(warehouse, run, nobody) is None
    assert find_answer(warehouse, run, nobody) is None  # a try of init after a crash
    assert find_answer(warehouse, a_run(run_id="second"), nobody) == run.id.run_id
    assert warehouse.execute(HOLDERS).fetchall() == [(run.id.run_id,)]


def test_what_is_published_is_answered_by_its_release(warehouse: Connection) -> None:
    publish_new(warehouse, REPORT, a_run(run_id="first"), ROWS)

    answer = find_answer(warehouse, a_run(run_id="second"), nobody)

    assert isinstance(answer, AlreadyPublished)
    assert (answer.version, answer.run_id, answer.missing) == (1, "first", ())
    assert warehouse.execute(HOLDERS).fetchall() == []


def test_another_period_or_other_params_are_not_answered(warehouse: Connection) -> None:
    publish_new(warehouse, REPORT, a_run(run_id="first"), ROWS)
    other = a_run(run_id="other", params={"shop": "web"}, is_default=False)

    assert find_answer(warehouse, other, nobody) is None
    publish(warehouse, REPORT, other, edition(ROWS))
    answer = find_answer(warehouse, a_run(run_id="third"), nobody)
    assert isinstance(answer, AlreadyPublished)
    assert answer.run_id == "first"


def test_who_wants_a_new_version_gets_it(warehouse: Connection) -> None:
    publish_new(warehouse, REPORT, a_run(run_id="first"), ROWS)
    second = a_run(run_id="second")

    assert find_worker(warehouse, second, nobody) is None
    assert find_worker(warehouse, a_run(run_id="third"), nobody) == "second"
    assert publish(warehouse, REPORT, second, edition(ROWS)).version == 2
    answer = find_answer(warehouse, a_run(run_id="fourth"), nobody)
    assert isinstance(answer, AlreadyPublished)
    assert (answer.version, answer.run_id) == (2, "second")


def test_a_version_that_was_taken_back_is_not_the_answer(warehouse: Connection) -> None:
    """Readers follow the pointer, so a request does."""
    for name in ("first", "second"):
        publish_new(warehouse, REPORT, a_run(run_id=name), ROWS)
    warehouse.execute(
        "UPDATE reporting.current_release SET release_id = r.release_id "
        "FROM reporting.release AS r WHERE r.version = 1"
    )
    answer = find_answer(warehouse, a_run(run_id="third"), nobody)
    assert isinstance(answer, AlreadyPublished)
    assert answer.version == 1
    warehouse.execute("DELETE FROM reporting.current_release")
    assert find_answer(warehouse, a_run(run_id="third"), nobody) is None


def test_a_claim_of_a_run_that_has_ended_is_no_answer(warehouse: Connection) -> None:
    assert find_answer(warehouse, a_run(run_id="dead"), nobody) is None
    assert find_answer(warehouse, a_run(run_id="living"), lambda run: run == "dead") is None
    assert warehouse.execute(HOLDERS).fetchall() == [("living",)]


def race(database: str, runs: list[Run], find: Any) -> list[Any]:
    """Let one session per run ask at the same moment; who gets the claim publishes at once."""
    barrier, answers = Barrier(len(runs)), list[Any]([None] * len(runs))

    def one(place: int) -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            barrier.wait()
            answers[place] = find(connection, runs[place], nobody)
            if answers[place] is None:
                publish(connection, REPORT, runs[place], edition(ROWS))

    threads = [Thread(target=one, args=(place,)) for place in range(len(runs))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
def test_f26_of_50_at_once_one_publishes(
    warehouse: Connection, database: str, isolation: str
) -> None:
    """Whatever the role's own isolation is, all others are pointed to that one."""
    runs = [a_run(run_id=f"run_{number}") for number in range(50)]
    options = f"-c default_transaction_isolation={isolation.replace(' ', chr(92) + ' ')}"

    answers = race(psycopg.conninfo.make_conninfo(database, options=options), runs, find_answer)

    (first,) = [run.id.run_id for run, answer in zip(runs, answers, strict=True) if answer is None]
    pointed = {a.run_id if isinstance(a, AlreadyPublished) else a for a in answers if a is not None}
    assert pointed == {first}
    assert warehouse.execute("SELECT run_id FROM reporting.release").fetchall() == [(first,)]
    assert warehouse.execute(HOLDERS).fetchall() == []


def test_of_two_that_want_a_new_version_at_once_each_works_or_is_pointed_to_the_other(
    warehouse: Connection, database: str
) -> None:
    publish_new(warehouse, REPORT, a_run(run_id="first"), ROWS)
    pair = [a_run(run_id="left"), a_run(run_id="right")]

    answers = race(database, pair, find_worker)

    assert set(answers) <= {None, "left", "right"}
    published = warehouse.execute("SELECT run_id FROM reporting.release WHERE version > 1")
    assert len(published.fetchall()) == answers.count(None) >= 1


def test_while_one_works_on_a_new_version_the_second_is_pointed_to_it(
    warehouse: Connection,
) -> None:
    publish_new(warehouse, REPORT, a_run(run_id="first"), ROWS)
    assert find_worker(warehouse, a_run(run_id="left"), nobody) is None

    assert find_worker(warehouse, a_run(run_id="right"), nobody) == "left"
    assert find_answer(warehouse, a_run(run_id="plain"), nobody) == "left"
    release_claims(warehouse, a_run(run_id="left").id)
    assert find_worker(warehouse, a_run(run_id="right"), nobody) is None
