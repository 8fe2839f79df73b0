"""A table that the warehouse could not keep is refused in the definition (A8.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reporting.definition.tables import KEY_KINDS
from reporting.errors import DefinitionError
from tests.specimens import a_report, a_table

pytestmark = pytest.mark.unit

CASES: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "key undeclared": (
        lambda: a_table(key=["idd"]),
        ["'totals'", "key column 'idd'", "Did you mean 'id'"],
    ),
    "key empty": (lambda: a_table(key=[]), ["key has 0 columns", "1 to 31"]),
    "key of 32 columns": (
        lambda: a_table(
            key=[f"k{n}" for n in range(32)], columns={f"k{n}": "date" for n in range(32)}
        ),
        ["key has 32 columns", "1 to 31"],
    ),
    "key is a float": (
        lambda: a_table(key=["x"], columns={"x": "float32 not null"}),
        ["'x'", "'float32 not null'", "disagree", "decimal", "bytes"],
    ),
    "key is a list": (lambda: a_table(key=["x"], columns={"x": "int64[]"}), ["'int64[]'", "int64"]),
    "key is an interval": (lambda: a_table(key=["x"], columns={"x": "interval"}), ["'interval'"]),
    "key is JSON": (lambda: a_table(key=["x"], columns={"x": "json"}), ["'json'", "disagree"]),
    "key is jsonb": (lambda: a_table(key=["x"], columns={"x": "jsonb"}), ["'jsonb'", "disagree"]),
    "columns too many": (
        lambda: a_table(key=["c0"], columns={f"c{n}": "bool" for n in range(1598)}),
        ["1598 columns", "1597"],
    ),
    "key twice": (lambda: a_table(key=["id", "id"]), ["key column 'id'", "twice"]),
    "key is a text": (lambda: a_table(key="id"), ["key='id'", "a list", "['id']?"]),
    "column of the warehouse": (
        lambda: a_table(columns={"id": "int64", "release_id": "int64"}),
        ["'release_id'", "any name but"],
    ),
    "column of PostgreSQL": (
        lambda: a_table(columns={"id": "int64", "xmin": "int64"}),
        ["'xmin'", "any name but", "ctid"],
    ),
}


@pytest.mark.parametrize(("build", "words"), CASES.values(), ids=CASES)
def test_a_table_is_refused_in_words(build: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(DefinitionError) as refusal:
        build()

    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize("kind", KEY_KINDS)
def test_a_key_may_be_of_any_type_whose_equality_is_plain(kind: str) -> None:
    word = "decimal(9,2)" if kind == "decimal" else kind
    assert a_table(key=["x"], columns={"x": word})


@pytest.mark.parametrize("length", [38, 39])
def test_the_longest_relation_name_fits_in_63_bytes(length: int) -> None:
    """PostgreSQL would cut a longer one in silence; the longest suffix is `__by_params`."""
    report, table = "a" * 10, "t" * length
    size = len(f"{report}__{table}__by_params")
    assert size in (61, 62)
    a_report(name=report, tables=[a_table(table)])
    with pytest.raises(DefinitionError, match="64 bytes; allowed: 63"):
        a_report(name="a" * (10 + 64 - size), tables=[a_table(table)])
