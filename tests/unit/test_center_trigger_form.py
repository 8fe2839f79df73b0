"""The form that triggers a report: a control per param, and text that becomes values again."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_center.actions.param_fields import ON, kind_of, typed_of, value_of
from report_center.actions.trigger_form import (
    asked_with,
    faults_of,
    fields_of,
    typed_at_first,
)
from report_center.pages.texts import texts_in
from reporting.core.run import is_same
from reporting.definition.params import fault_in
from tests import center_samples as samples

pytestmark = pytest.mark.unit

NOW = datetime(2026, 3, 5, 12, tzinfo=UTC)
TEXTS = texts_in("en")
TEXT, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
BOOLEAN, OBJECT, ARRAY = {"type": "boolean"}, {"type": "object"}, {"type": "array"}
MAYBE_TEXT, MAYBE_INTEGER = {"type": ["null", "string"]}, {"type": ["null", "integer"]}
MAYBE_BOOLEAN, MIXED = {"type": ["null", "boolean"]}, {"type": ["integer", "string"]}
NOTHING = {"type": "null"}
CHOICE = {"type": ["null", "string", "integer"], "enum": ["a", "1", 1, None]}
SCHEMAS: list[dict[str, Any]] = [
    *(TEXT, INTEGER, NUMBER, BOOLEAN, OBJECT, ARRAY, NOTHING),
    *(MAYBE_TEXT, MAYBE_INTEGER, MAYBE_BOOLEAN, MIXED, CHOICE),
]
DAY = {"type": "string", "format": "date"}
SECRET = {"type": "string", "format": "password"}


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        (TEXT, "text"),
        (MAYBE_TEXT, "text"),
        (INTEGER, "number"),
        (NUMBER, "number"),
        (MAYBE_INTEGER, "number"),
        ({"type": ["integer", "number"]}, "number"),
        (BOOLEAN, "checkbox"),
        (MAYBE_BOOLEAN, "select"),
        (CHOICE, "select"),
        ({"type": "boolean", "enum": [True]}, "select"),
        (OBJECT, "json"),
        (ARRAY, "json"),
        (NOTHING, "json"),
        ({}, "json"),
        ({"type": ["string", "array"]}, "json"),
        (MIXED, "text"),
        (DAY, "date"),
        ({"type": ["null", "string"], "format": "date"}, "date"),
        ({"type": "string", "format": "month"}, "text"),
        (SECRET, "password"),
        ({"type": "string", "format": "multiline"}, "lines"),
        ({"type": "string", "maxLength": 1000}, "lines"),
        ({"type": "string", "maxLength": 10}, "text"),
    ],
)
def test_every_type_has_its_control(schema: dict[str, Any], kind: str) -> None:
    assert kind_of(schema) == kind


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        (TEXT, "42", "42"),
        (TEXT, " a ", " a "),
        (TEXT, "", ""),
        (MAYBE_TEXT, "", None),
        (INTEGER, "42", 42),
        (INTEGER, "-7", -7),
        (INTEGER, "4.5", 4.5),
        (INTEGER, "0x10", "0x10"),
        (INTEGER, " 5 ", 5),
        (INTEGER, "0", 0),
        (INTEGER, "-0.5", -0.5),
        (INTEGER, "007", "007"),
        (INTEGER, "-01", "-01"),
        (INTEGER, "00", "00"),
        (NUMBER, "01.5", "01.5"),
        (INTEGER, "\u00a05", "\u00a05"),
        (INTEGER, "5\u2003", "5\u2003"),
        (MIXED, "007", "007"),
        (INTEGER, "\u0664\u0662", "\u0664\u0662"),
        (INTEGER, "eleven", "eleven"),
        (INTEGER, "9" * 5000, "9" * 5000),
        (NUMBER, "1e3", 1000.0),
        (NUMBER, "NaN", "NaN"),
        (NUMBER, "Infinity", "Infinity"),
        (MAYBE_INTEGER, "", None),
        (BOOLEAN, ON, True),
        (MAYBE_BOOLEAN, "0", None),
        (MAYBE_BOOLEAN, "1", True),
        (MAYBE_BOOLEAN, "2", False),
        (CHOICE, "1", "1"),
        (CHOICE, "2", 1),
        (CHOICE, "3", None),
        (CHOICE, "4", "4"),
        (CHOICE, "-1", "-1"),
        (CHOICE, "9" * 5000, "9" * 5000),
        (MIXED, "42", 42),
        (MIXED, "x", "x"),
        (OBJECT, '{"a": [1]}', {"a": [1]}),
        (OBJECT, "{a", "{a"),
        (ARRAY, "[" * 100_000, "[" * 100_000),
        (DAY, "2026-02-30", "2026-02-30"),
        ({"type": "string", "format": "multiline"}, "a\r\nb", "a\nb"),
    ],
    ids=repr,
)
def test_text_is_read_by_the_type_and_stays_text_where_it_fits_none(
    schema: dict[str, Any], typed: str | None, value: Any
) -> None:
    found = value_of(schema, typed, "the default")
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize("default", [True, False])
def test_a_box_that_is_not_checked_says_no(default: bool) -> None:
    assert value_of(BOOLEAN, None, default) is False
    assert value_of(BOOLEAN, ON, default) is True


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "string": st.text(),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.floats(allow_nan=False, allow_infinity=False),
    "boolean": st.booleans(),
    "array": st.lists(st.integers(0, 9) | st.text()),
    "object": st.dictionaries(st.text(), st.none() | st.booleans()),
}


@given(data=st.data())
def test_a_form_that_is_sent_as_it_came_gives_the_defaults(data: st.DataObject) -> None:
    schema = data.draw(st.sampled_from(SCHEMAS))
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if "enum" in schema:
        default = data.draw(st.sampled_from(schema["enum"]))
    else:
        default = data.draw(st.one_of(*(VALUES[name] for name in types)))
    definition = {"params": {"one": {"schema": schema, "default": default}}}
    typed = typed_at_first(definition, {})
    # Browsers send lines so, and nothing for a box that is not checked.
    sent = {name: text.replace("\n", "\r\n") for name, text in typed.items()}
    if "\r" not in str(default):
        assert asked_with(definition, sent).params == {}


# What almost is a number: zeros in front, blanks of any kind, exponents.
ALMOST = st.text("0123456789-+.eE \t\n\u00a0\u2003", min_size=1, max_size=8)


@given(schema=st.sampled_from(SCHEMAS), typed=st.none() | st.text() | ALMOST)
def test_whatever_is_typed_becomes_a_value_or_is_told(
    schema: dict[str, Any], typed: str | None
) -> None:
    value = value_of(schema, typed, None)
    fault = fault_in("one", value, schema)
    if fault is None:
        again = value_of(schema, typed_of(schema, value) or None, value)
        assert is_same({"": again}, {"": value})


def report(**schemas: dict[str, Any]) -> Any:
    params = {name: {"schema": schema, "default": None} for name, schema in schemas.items()}
    told = {"period": {"schema": TEXT, "default": None}, "refresh": {"schema": {}, "default": 0}}
    definition = {**samples.report().definition, "params": {**told, **params}}
    return samples.report(definition=definition)


def test_what_is_wrong_stands_at_its_field_with_what_was_typed() -> None:
    one = report(top={**INTEGER, "minimum": 1}, day=DAY)
    typed = {"period": "2026-3-1", "param.top": "0", "param.day": "x"}
    faults = faults_of(TEXTS, asked_with(one.definition, typed), one.definition, NOW)
    shown = {field.name: field for field in fields_of(TEXTS, one, typed, faults)}
    assert "minimum 1" in str(shown["param.top"].fault)
    assert "a day as YYYY-MM-DD" in str(shown["param.day"].fault)
    assert "2026-3-1" in str(shown["period"].fault)
    assert [shown[name].typed for name in typed] == list(typed.values())
    # A control for days would show nothing of it.
    assert shown["param.day"].kind == shown["period"].kind == "text"


def test_the_fields_say_what_they_mean() -> None:
    one = report(
        top={**INTEGER, "title": "How many", "description": "The largest.", "minimum": 1},
        more=OBJECT,
    )
    period, top, more, refresh = fields_of(TEXTS, one, {}, {})
    assert period.kind == "date"
    assert "America/New_York" in " ".join(period.notes)
    assert (top.label, top.notes) == ("How many", ("The largest.", "Allowed: minimum 1."))
    assert more.notes == ("As JSON.",)
    assert (refresh.name, refresh.kind) == ("refresh", "checkbox")


def test_f8_a_secret_is_never_shown_again() -> None:
    one = report(key={**SECRET, "maxLength": 3})
    typed = {"param.key": "hunter2"}
    faults = faults_of(TEXTS, asked_with(one.definition, typed), one.definition, NOW)
    assert faults == {"key": "This value is not allowed."}
    shown = fields_of(TEXTS, one, typed, faults)
    assert "hunter2" not in repr(shown)
    assert asked_with(one.definition, {"param.key": ""}).params == {}


def test_f26_a_number_that_json_does_not_know_is_told_at_its_field() -> None:
    one = report(n=INTEGER)
    for typed in ("007", "-01", "\u00a05"):
        asked = asked_with(one.definition, {"param.n": typed})
        faults = faults_of(TEXTS, asked, one.definition, NOW)
        assert faults["n"].endswith("allowed: type integer.")
        assert fields_of(TEXTS, one, {"param.n": typed}, faults)[1].typed == typed


def test_a_secret_that_is_lost_with_a_refused_form_is_to_be_typed_again() -> None:
    one = report(top=INTEGER, key=SECRET, other=SECRET)
    typed = {"param.top": "many", "param.key": "hunter2"}
    faults = faults_of(TEXTS, asked_with(one.definition, typed), one.definition, NOW)
    shown = {field.name: field for field in fields_of(TEXTS, one, typed, faults)}
    assert shown["param.key"].lost == "Type it again: it is not shown, so it was not kept."
    assert (shown["param.key"].fault, shown["param.key"].typed) == (None, "")
    assert shown["param.top"].lost is shown["param.other"].lost is None
    assert "hunter2" not in repr(shown)
    assert [field.lost for field in fields_of(TEXTS, one, typed, {})] == [None] * 5
    assert shown["param.other"].notes == (
        "It is never shown, nor taken over from another run. Left empty: the default.",
    )


def test_period_and_refresh_are_asked_for_beside_the_params() -> None:
    one = report(top=INTEGER)
    asked = asked_with(one.definition, {"period": " 2026-03-01 ", "refresh": ON, "param.top": "4"})
    assert (asked.period, asked.params, asked.refresh) == ("2026-03-01", {"top": 4}, True)
    assert asked_with(one.definition, {}).conf == {}
    assert asked_with({}, {"param.top": "4"}).conf == {}
