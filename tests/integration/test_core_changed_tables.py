"""A table kept otherwise than declared: told before any work, and mended as the page says."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from embedded_stack.layout import CHECKOUT
from reporting.core.warehouse.relation import HOW_TO, check_relation, ensure_relations
from reporting.errors import ContractError
from tests.docs_pages import blocks
from tests.integration.publishing import data, publish_new
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
KEPT = a_table("destination", key=["dest"], columns={"dest": "text", "flights": "int64"})
NARROW = a_table("destination", key=["dest"], columns={"dest": "text", "flights": "int32"})
KEYED = a_table("destination", key=["dest", "flights"], columns=dict(KEPT.columns))
VIEW = "SELECT dest, flights FROM results.my_report__destination ORDER BY dest"
CHANGE, GRANT, KEY = (block.text for block in blocks(CHECKOUT / HOW_TO, "sql"))


@pytest.fixture
def published(warehouse: Connection) -> Connection:
    """A warehouse in which the table of the page was published once."""
    report = a_report(name="my_report", tables=[KEPT])
    publish_new(
        warehouse, report, a_run(report="my_report"), data(report, {"dest": "LAX", "flights": 42})
    )
    return warehouse


def test_a_changed_type_is_told_with_the_way_to_mend_it(published: Connection) -> None:
    with pytest.raises(ContractError) as fault:
        check_relation(published, "my_report", NARROW)

    assert str(fault.value) == (
        "Table 'destination', column 'flights': kept as bigint, now declared as int32; rename the "
        "column, or make it integer in results.my_report__destination__releases by hand, as "
        "docs/how-to/change-a-table.md shows."
    )


def test_what_was_never_published_or_only_gains_a_column_is_fine(published: Connection) -> None:
    check_relation(published, "other", KEPT)
    check_relation(
        published,
        "my_report",
        a_table("destination", key=["dest"], columns={"dest": "text", "new": "bool"}),
    )

    assert published.execute(VIEW).fetchall() == [("LAX", 42)]


def test_the_page_changes_a_type_and_the_next_publish_makes_the_views(
    published: Connection,
) -> None:
    published.execute(CHANGE.encode())
    check_relation(published, "my_report", NARROW)
    report = a_report(name="my_report", tables=[NARROW])
    run = a_run(report="my_report", run_id="second")
    publish_new(published, report, run, data(report, {"dest": "LAX", "flights": 43}))
    published.execute(GRANT.encode())

    assert published.execute(VIEW).fetchall() == [("LAX", 43)]
    both = "SELECT count(*) FROM results.my_report__destination__by_params"
    assert published.execute(both).fetchall() == [(1,)]


def test_the_page_changes_a_key(published: Connection) -> None:
    with pytest.raises(ContractError, match=HOW_TO):
        check_relation(published, "my_report", KEYED)

    published.execute(KEY.encode())

    check_relation(published, "my_report", KEYED)
    ensure_relations(published, "my_report", KEYED)
    assert published.execute(VIEW).fetchall() == [("LAX", 42)]
