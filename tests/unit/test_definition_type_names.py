"""A type of another system is answered with the word that means it here."""

from __future__ import annotations

import re

import pytest

from reporting.definition.columns import column_from
from reporting.definition.other_type_names import OTHER_NAMES
from reporting.errors import DefinitionError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("integer", "int64"),
        ("BIGINT not null", "int64 not null"),
        ("string[]", "text[]"),
        ("varchar(20)", "text"),
        ("datetime", "timestamp"),
        ("numeric", "decimal(18,2)"),
        ("numeric(10,2)", "decimal(10,2)"),
        ("Decimal(10)", "decimal(10,0)"),
        ("timestamp with time zone", "timestamptz"),
        ("timestamptzz", "timestamptz"),
    ],
)
def test_the_word_that_was_meant_is_named(written: str, meant: str) -> None:
    with pytest.raises(DefinitionError) as fault:
        column_from("Table 't'", "c", written)

    assert str(fault.value).endswith(f"after it. Did you mean {meant!r}?")
    assert column_from("Table 't'", "c", meant).type == meant


@pytest.mark.parametrize("written", ["decimal(39,2)", "decimal(2,3)", "", "geometry"])
def test_what_means_nothing_here_is_not_guessed(written: str) -> None:
    with pytest.raises(DefinitionError, match=re.escape(f"has type {written!r}")) as fault:
        column_from("Table 't'", "c", written)

    assert "with p from 1 to 38 and s from 0 to p" in str(fault.value)
    assert "Did you mean" not in str(fault.value)


def test_each_hint_is_a_type() -> None:
    for meant in OTHER_NAMES.values():
        assert column_from("Table 't'", "c", meant).type == meant
