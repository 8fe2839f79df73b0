"""Params keep the type they were sent with, and what is not allowed is refused at once (F25)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.run import canonical
from reporting.definition.params import Param, check_schema, checked_params
from reporting.definition.placeholders import check_placeholders, filled
from reporting.errors import DefinitionError, InputError
from tests.specimens import a_report

pytestmark = pytest.mark.unit

TEXT = Param("", type="string")
WHOLE = Param(1, type="integer")


@pytest.mark.parametrize("text", ["007", "20231023", "True", "[1, 2]", "1e5", "null", " ", "é"])
def test_f25_declared_text_stays_the_very_same_text(text: str) -> None:
    value = checked_params({"note": TEXT}, {"note": text})["note"]

    assert value == text
    assert type(value) is str


@given(st.text())
def test_f25_any_text_that_can_be_stored_stays_the_same(text: str) -> None:
    can_be_stored = "\0" not in text and not any("\ud800" <= char <= "\udfff" for char in text)

    if can_be_stored:
        assert checked_params({"note": TEXT}, {"note": text})["note"] == text
    else:
        with pytest.raises(InputError, match="Param 'note' is"):
            checked_params({"note": TEXT}, {"note": text})


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_text_no_database_can_hold_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="Param 'note' is"):
        checked_params({"note": TEXT}, {"note": text})


@pytest.mark.parametrize("value", ["42", "1", True, 1.5, None, [1]])
def test_f25_a_declared_integer_is_never_made_of_something_else(value: object) -> None:
    with pytest.raises(InputError, match=r"Param 'count' is .*allowed: type integer"):
        checked_params({"count": WHOLE}, {"count": value})


def test_f25_a_number_is_no_text() -> None:
    with pytest.raises(InputError, match="'note' is 7; allowed: type string"):
        checked_params({"note": TEXT}, {"note": 7})


@pytest.mark.parametrize("value", ["yes", "true", 1, None])
def test_a_refresh_that_is_no_yes_or_no_is_refused(value: object) -> None:
    declared = a_report().run_params

    with pytest.raises(InputError, match=rf"'refresh' is {value!r}; allowed: type boolean"):
        checked_params(declared, {"refresh": value})
    assert checked_params(declared, {})["refresh"] is False


def test_defaults_fill_what_was_not_given() -> None:
    values = checked_params({"note": Param("x"), "count": WHOLE}, {"count": 3})

    assert values == {"note": "x", "count": 3}


def test_all_faults_are_named_at_once_with_the_nearest_name() -> None:
    with pytest.raises(InputError) as refusal:
        checked_params({"carrier": TEXT, "count": WHOLE}, {"carier": "UA", "count": "3"})

    for word in (
        "'carier' is unknown",
        "Did you mean 'carrier'",
        "'count' is '3'",
        "trigger again",
    ):
        assert word in str(refusal.value)


def test_a_refusal_stays_short_whatever_was_sent() -> None:
    sent = {"n" * 30_000: 1, "note": ["v" * 30_000]} | {f"p{n}": n for n in range(1000)}

    with pytest.raises(InputError) as refusal:
        checked_params({"note": TEXT, "count": WHOLE}, sent)

    assert len(str(refusal.value)) < 2000
    for word in ("'note' is ['vvv", "'nnn", "And 992 more.", "trigger again"):
        assert word in str(refusal.value)


def test_a_number_that_airflow_cannot_hand_on_is_refused() -> None:
    """Its processes speak in whole numbers of 64 bits; a larger one ends the one that sends it."""
    declared = {"count": Param([], type="array")}
    largest = [{"more": 2**63 - 1}]

    assert checked_params(declared, {"count": largest})["count"] == largest
    with pytest.raises(InputError, match=r"Param 'count' is \[\{'more': 9223372036854775808"):
        checked_params(declared, {"count": [{"more": 2**63}]})


def test_a_closing_dollar_is_the_very_end() -> None:
    """Python's own `$` would let 'UA' with a line feed pass."""
    carrier = Param("UA", pattern="^[A-Z]{2}$")

    assert checked_params({"carrier": carrier}, {"carrier": "LH"})["carrier"] == "LH"
    with pytest.raises(InputError):
        checked_params({"carrier": carrier}, {"carrier": "LH\n"})


def test_an_escaped_dollar_is_a_dollar() -> None:
    price = Param("5$", pattern=r"^\d\$")

    assert checked_params({"price": price}, {})["price"] == "5$"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    anything = Param(0, type=["number", "object", "array"])

    with pytest.raises(InputError, match="Param 'x' is"):
        checked_params({"x": anything}, {"x": value})


def test_42_and_42_0_ask_for_the_same() -> None:
    """JSON Schema lets 42.0 pass as integer, so both must make one business key."""
    given_values = [checked_params({"count": WHOLE}, {"count": n}) for n in (42, 42.0)]

    assert canonical(given_values[0]) == canonical(given_values[1])


def test_placeholders_are_filled_by_rule() -> None:
    values = {"a": None, "b": True, "c": "x{b}", "period": "2024-05-01"}

    assert filled("{a}", values) is None
    assert filled("<{a}>", values) == "<>"
    assert filled("{b}/{c}/{period}", values) == "true/x{b}/2024-05-01"
    assert filled('{"q": {}}', values) == '{"q": {}}'


def test_an_unknown_placeholder_is_refused() -> None:
    with pytest.raises(DefinitionError, match=r"nothing fills \{b\}; allowed: a\."):
        check_placeholders("query", "{a}{b}", ("a",))


@pytest.mark.parametrize("types", ["integr", ["null", "integr"]])
def test_a_type_that_json_schema_does_not_have(types: str | list[str]) -> None:
    with pytest.raises(DefinitionError, match=r"'integr'.*Did you mean 'integer'\?"):
        check_schema("Param 'count'", Param(5, type=types))
