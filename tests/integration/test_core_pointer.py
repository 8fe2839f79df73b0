"""Rolling back and withdrawing: the pointer is moved, no row is touched (R32)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg
import pytest

from reporting.core.run import Run
from reporting.core.warehouse.answer import find_answer
from reporting.core.warehouse.pointer import (
    NOTHING,
    PointerError,
    newest,
    roll_back,
    shown_at,
    target_of,
    withdraw,
)
from reporting.core.warehouse.publish import lock_report
from reporting.errors import TransientError
from tests.integration.publishing import TWO_TABLES, Connection, publish_new, version, view
from tests.integration.test_core_publish_together import at_once
from tests.specimens import a_run

pytestmark = pytest.mark.integration

ROWS = 5
ALL_ROWS = "SELECT release_id, id, name FROM results.sales__totals__releases ORDER BY 1, 2"
MOVES = "SELECT from_release, to_release, moved_by FROM reporting.pointer_move ORDER BY move_id"


@pytest.fixture
def published(warehouse: Connection) -> list[int]:
    """The releases of three versions of one period."""
    return [publish_next(warehouse, number) for number in (1, 2, 3)]


def publish_next(connection: Connection, number: int, run: Run | None = None) -> int:
    run = run or a_run(run_id=f"run_{number}")
    return publish_new(connection, TWO_TABLES, run, version(number, ROWS)).release_id


def seen(connection: Connection) -> set[str]:
    """Return which versions the rows of both tables are of, as readers see them."""
    tables = ("sales__totals", "sales__details")
    return {row[1] for name in tables for row in view(connection, name)}


def test_readers_see_a_rolled_back_version_whole_and_no_row_is_touched(
    warehouse: Connection, published: list[int]
) -> None:
    before = warehouse.execute(ALL_ROWS).fetchall()
    roll_back(warehouse, published[0], "ann", published[2])
    assert seen(warehouse) == {"v1"}
    roll_back(warehouse, published[1], "bob")
    assert seen(warehouse) == {"v2"}
    assert warehouse.execute(ALL_ROWS).fetchall() == before
    first, second, third = published
    assert warehouse.execute(MOVES).fetchall() == [(third, first, "ann"), (first, second, "bob")]


def test_a_withdrawn_version_is_not_seen_and_can_be_shown_again(
    warehouse: Connection, published: list[int]
) -> None:
    withdraw(warehouse, published[2], "ann", published[2])
    assert seen(warehouse) == set()
    assert newest(shown_at(warehouse, target_of(warehouse, published[2]))) == NOTHING
    roll_back(warehouse, published[1], "ann", NOTHING)
    assert seen(warehouse) == {"v2"}
    assert warehouse.execute(MOVES).fetchall() == [
        (published[2], None, "ann"),
        (None, published[1], "ann"),
    ]


@pytest.mark.parametrize("act", [roll_back, withdraw])
def test_a_later_publish_makes_the_next_version_and_readers_see_it(
    warehouse: Connection, published: list[int], act: Any
) -> None:
    act(warehouse, published[0] if act is roll_back else published[2], "ann")
    assert publish_next(warehouse, 4) > published[2]
    assert seen(warehouse) == {"v4"}
    assert warehouse.execute("SELECT max(version) FROM reporting.release").fetchone() == (4,)


def test_a_withdrawn_period_can_be_triggered_anew(
    warehouse: Connection, published: list[int]
) -> None:
    asked = a_run(run_id="asked_by_hand")
    withdraw(warehouse, published[2], "ann")
    assert find_answer(warehouse, asked, lambda _: True) is None


def test_what_is_not_as_expected_is_refused_with_what_readers_see(
    warehouse: Connection, published: list[int]
) -> None:
    first, second, third = published
    with pytest.raises(PointerError, match="is what readers see already"):
        roll_back(warehouse, third, "ann")
    with pytest.raises(PointerError, match="not what readers see: they see version 3"):
        withdraw(warehouse, first, "ann")
    with pytest.raises(PointerError, match="changed meanwhile: they see version 3 now"):
        roll_back(warehouse, first, "ann", second)
    with pytest.raises(PointerError, match="There is no release 999"):
        roll_back(warehouse, 999, "ann")
    withdraw(warehouse, third, "ann")
    with pytest.raises(PointerError, match="they see nothing"):
        withdraw(warehouse, third, "bob")
    assert len(warehouse.execute(MOVES).fetchall()) == 1


def test_a_special_cut_and_the_report_itself_are_moved_apart(warehouse: Connection) -> None:
    plain = [publish_next(warehouse, number) for number in (1, 2)]
    cut = replace(a_run(run_id="cut_1"), params={"top": 3}, is_default=False)
    special = [
        publish_next(warehouse, n, replace(cut, id=replace(cut.id, run_id=f"cut_{n}")))
        for n in (5, 6)
    ]
    roll_back(warehouse, special[0], "ann", special[1])
    assert seen(warehouse) == {"v2"}
    roll_back(warehouse, plain[0], "ann", plain[1])
    assert newest(shown_at(warehouse, target_of(warehouse, special[1]))) == special[0]
    assert seen(warehouse) == {"v1"}


def test_a_default_that_has_changed_leaves_one_plain_version_per_period(
    warehouse: Connection,
) -> None:
    old = publish_next(warehouse, 1)
    new = publish_next(warehouse, 2, replace(a_run(run_id="run_2"), params={"top": 3}))
    assert seen(warehouse) == {"v2"}
    roll_back(warehouse, old, "ann", new)
    assert seen(warehouse) == {"v1"}
    assert warehouse.execute(MOVES).fetchall() == [(new, old, "ann")]


def test_of_many_who_decide_at_once_one_does_it_and_the_others_are_told(
    warehouse: Connection, published: list[int], database: str
) -> None:
    def by(name: str, release_id: int) -> Any:
        def work() -> None:
            with psycopg.connect(database, autocommit=True) as connection:
                roll_back(connection, release_id, name, published[2])

        return work

    errors = at_once(*(by(f"user_{n}", published[n % 2]) for n in range(8)))
    assert len(errors) == 7
    assert all(isinstance(error, PointerError) for error in errors)
    ((before, after, _),) = warehouse.execute(MOVES).fetchall()
    assert before == published[2]
    assert seen(warehouse) == {f"v{published.index(after) + 1}"}


@pytest.mark.parametrize("act", [roll_back, withdraw])
def test_a_publish_at_the_same_moment_comes_wholly_before_or_after(
    warehouse: Connection, published: list[int], database: str, act: Any
) -> None:
    """Whichever comes first: what is published is seen in the end, and never a mixture."""

    def publishing() -> None:
        with psycopg.connect(database, autocommit=True) as connection:
            publish_next(connection, 4)

    def moving() -> None:
        target = published[0] if act is roll_back else published[2]
        with psycopg.connect(database, autocommit=True) as connection:
            act(connection, target, "ann", published[2])

    errors = at_once(publishing, moving)
    moves = warehouse.execute(MOVES).fetchall()
    assert [type(error) for error in errors] == ([] if moves else [PointerError])
    assert seen(warehouse) == {"v4"}


def test_a_publish_that_does_not_end_is_not_waited_for_long(
    warehouse: Connection, published: list[int], database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "reporting.core.warehouse.pointer.PATIENCE", "SET LOCAL lock_timeout = '100ms'"
    )
    with psycopg.connect(database, autocommit=True) as other, other.transaction():
        lock_report(other, "sales")
        with pytest.raises(TransientError, match="publishes now"):
            roll_back(warehouse, published[0], "ann")
    roll_back(warehouse, published[0], "ann")
    assert seen(warehouse) == {"v1"}
