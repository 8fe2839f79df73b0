"""Which run answers an event, in a real warehouse."""

from __future__ import annotations

from threading import Thread
from typing import Any

import psycopg
import pytest

from reporting.core.warehouse.events import sharing_out, take_event, taken_events

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]


def test_the_last_run_that_takes_an_event_has_it(warehouse: Connection) -> None:
    take_event(warehouse, "sales", "a", "first")
    take_event(warehouse, "returns", "a", "other")
    assert taken_events(warehouse, "sales", ["a", "b"]) == {"a": "first"}

    take_event(warehouse, "sales", "a", "second")
    assert taken_events(warehouse, "sales", ["a"]) == {"a": "second"}


def test_what_is_decided_is_kept_whole_or_not_at_all(warehouse: Connection) -> None:
    def fail() -> None:
        with sharing_out(warehouse, "sales"):
            take_event(warehouse, "sales", "a", "first")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert taken_events(warehouse, "sales", ["a"]) == {}


@pytest.mark.parametrize("isolation", ["read committed", "serializable"])
def test_one_run_decides_at_a_time(warehouse: Connection, database: str, isolation: str) -> None:
    """And sees what the one before has decided, whatever the role's own isolation is."""
    seen: list[dict[str, str]] = []
    options = f"-c default_transaction_isolation={isolation.replace(' ', chr(92) + ' ')}"

    def decide() -> None:
        with (
            psycopg.connect(database, autocommit=True, options=options) as connection,
            sharing_out(connection, "sales"),
        ):
            seen.append(taken_events(connection, "sales", ["a"]))

    other = Thread(target=decide)
    with sharing_out(warehouse, "sales"):
        other.start()
        other.join(0.3)
        assert seen == []
        take_event(warehouse, "sales", "a", "first")
    other.join(30)
    assert seen == [{"a": "first"}]
