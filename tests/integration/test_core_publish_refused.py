"""What the server refuses is named by table, row and column, and nothing is published."""

from __future__ import annotations

from random import Random
from typing import Any

import psycopg
import pytest

from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.load import BATCH_ROWS, load_rows
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.relation import ensure_relations
from reporting.definition.tables import Table
from reporting.errors import ContractError
from tests.integration.publishing import data, edition, publish_new, view
from tests.specimens import a_report, a_run, a_table

pytestmark = pytest.mark.integration

Connection = psycopg.Connection[Any]
KEPT = "results.sales__totals__releases"
BREAKS = "a\nb\r\nc\rd\te\\"
"""Text that must not be counted as further rows."""
A_TRIGGER = """
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
IF new.name = 'bad' THEN RAISE 'not this one'; END IF; RETURN new; END $$;
CREATE TRIGGER t BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION look()
"""


def refused(connection: Connection, *rows: dict[str, Any], **table: Any) -> str:
    """Publish a first release again with other rows, and return what is said to it."""
    report, run = a_report(tables=[a_table(**table)]), a_run(run_id="second")
    take_claim(connection, run)
    with pytest.raises(ContractError) as fault:
        publish(connection, report, run, edition(data(report, *rows)))
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert view(connection) == [(1, "a", "2024-05-01")]
    return str(fault.value)


@pytest.fixture
def published(warehouse: Connection) -> Connection:
    """Return a warehouse in which the table is kept."""
    publish_new(warehouse, a_report(), a_run(), data(a_report(), {"id": 1, "name": "a"}))
    return warehouse


@pytest.mark.parametrize(
    ("by_hand", "name", "words"),
    [
        ("ALTER TABLE {} ADD CHECK (length(name) < 9)", "x" * 9, ["row 3:", "check", "23514"]),
        ("ALTER TABLE {} ALTER name SET NOT NULL", None, ["row 3, column 'name'", "23502"]),
        ("CREATE UNIQUE INDEX ON {} (name)", "a", ["row 3:", "(name)=(a)", "23505"]),
        (A_TRIGGER, "bad", ["row 3:", "not this one", "P0001"]),
    ],
)
def test_a_rule_made_by_hand_is_told_by_row(
    published: Connection, by_hand: str, name: str | None, words: list[str]
) -> None:
    published.execute(by_hand.format(KEPT))
    names = ["q", "a\nb", name, "z"]
    rows = [{"id": number, "name": value} for number, value in enumerate(names, 1)]

    said = refused(published, *rows)

    for word in ("Table 'totals', ", *words, "change it in compute", "by hand", KEPT):
        assert word in said


def test_a_key_too_long_for_an_index_is_told_and_not_tried_again(warehouse: Connection) -> None:
    letters = "".join(Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=9000))  # noqa: S311
    report = a_report(tables=[a_table(key=["name"])])

    with pytest.raises(ContractError, match=r"'totals', row 2: index row .*SQLSTATE 54000"):
        publish_new(warehouse, report, a_run(), data(report, {"name": "a"}, {"name": letters}))


def test_a_row_too_big_is_told_without_a_wrong_number(warehouse: Connection) -> None:
    """The server notices it when it writes many rows at once, and names the last of them."""
    names = [f"c{number}" for number in range(1200)]
    report = a_report(tables=[a_table(columns={"id": "int64", **dict.fromkeys(names, "int64")})])
    rows = data(report, {"id": 1}, {"id": 2, **dict.fromkeys(names, 1)}, {"id": 3})

    with pytest.raises(ContractError, match=r"Table 'totals': row is too big.*SQLSTATE 54000"):
        publish_new(warehouse, report, a_run(), rows)


@pytest.mark.parametrize(
    ("kept_as", "value", "state"),
    [
        ("smallint", 40_000, "22003"),
        ("numeric(3,1)", 1000, "22003"),
        ("date", 12, "22007"),
        ("bool", 7, "22P02"),
        ("small", 101, "23514"),
    ],
)
def test_a_column_narrowed_by_hand_is_told_by_name_and_row(
    warehouse: Connection, kept_as: str, value: int, state: str
) -> None:
    """The rows lie in the third batch, and have line ends in them."""
    table = narrow_table(warehouse, kept_as)
    rows: list[dict[str, Any]] = [{"id": n, "name": BREAKS} for n in range(2 * BATCH_ROWS + 7)]
    rows[2 * BATCH_ROWS + 4]['a": b'] = value

    with pytest.raises(ContractError) as fault:
        load_rows(warehouse, "sales", table, data(a_report(tables=[table]), *rows)["totals"], 1)

    place = f"""Table 'totals', row {2 * BATCH_ROWS + 5:d}, column 'a": b': """
    assert str(fault.value).startswith(place)
    assert state in str(fault.value)
    assert isinstance(fault.value.__cause__, psycopg.Error)


def narrow_table(warehouse: Connection, kept_as: str) -> Table:
    """Keep a table, and give one of its columns another type."""
    table = a_table(columns={"id": "int64", "name": "text", 'a": b': "int64"})
    ensure_relations(warehouse, "sales", table)
    warehouse.execute("DROP VIEW results.sales__totals, results.sales__totals__by_params")
    warehouse.execute("CREATE DOMAIN small AS bigint CHECK (value < 100)")
    warehouse.execute(f'ALTER TABLE {KEPT} DROP "a"": b", ADD "a"": b" {kept_as}')
    return table


def test_an_error_that_another_try_may_mend_is_let_through(warehouse: Connection) -> None:
    ensure_relations(warehouse, "sales", a_table())
    warehouse.execute(
        "CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE SQLSTATE '57014'; END $$"
    )
    warehouse.execute(f"CREATE TRIGGER t BEFORE INSERT ON {KEPT} EXECUTE FUNCTION give_up()")
    rows = data(a_report(), {"id": 1, "name": "a"})["totals"]

    with pytest.raises(psycopg.errors.QueryCanceled):
        load_rows(warehouse, "sales", a_table(), rows, 1)
