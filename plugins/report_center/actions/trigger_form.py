"""The form that triggers a report: its fields, what was asked with it, and what is wrong."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from report_center.actions.param_fields import (
    Choice,
    Kind,
    choices_of,
    kind_of,
    plain,
    typed_of,
    value_of,
)
from report_center.pages.texts import Texts
from report_center.records.asked import Asked, period_of
from report_center.records.reports import ReportRow
from reporting.core.run import is_same
from reporting.definition.params import PERIOD, REFRESH, fault_in
from reporting.errors import InputError

PARAM = "param."  # before a param's name, so that none meets a field of the form itself
UNSHOWN = ("title", "description", "description_md", "type", "enum", "format", "default", "$schema")
Typed = Mapping[str, str]
Definition = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One field.

    Attributes:
        name: what the form sends it as.
        label: what it is called.
        kind: which control it is.
        typed: what stands in it.
        choices: what can be chosen, for a select.
        notes: what it means and what is allowed, in sentences.
        fault: what is wrong with what was typed; None for nothing.
        lost: that it must be typed again, though nothing is wrong with it: it is not shown again.
    """

    name: str
    label: str
    kind: Kind
    typed: str
    choices: tuple[Choice, ...] = ()
    notes: tuple[str, ...] = ()
    fault: str | None = None
    lost: str | None = None


def fields_of(
    texts: Texts, report: ReportRow, typed: Typed, faults: Mapping[str, str]
) -> tuple[Field, ...]:
    """Return the fields of a report's form with what was typed and what is wrong with it."""
    unit = texts(f"trigger.period_{report.unit}")
    zone = texts("trigger.period_zone", zone=report.timezone)
    kind: Kind = "date" if report.unit == "day" and not faults.get(PERIOD) else "text"
    period = Field(
        PERIOD, texts("runs.period"), kind, typed.get(PERIOD, ""), (), (unit, zone),
        faults.get(PERIOD),
    )  # fmt: skip
    refresh = Field(
        REFRESH,
        texts("trigger.refresh"),
        "checkbox",
        typed.get(REFRESH, ""),
        (),
        (texts("trigger.refresh_help"),),
    )
    params = (
        _field(texts, name, param["schema"], typed.get(PARAM + name, ""), faults.get(name))
        for name, param in _params(report.definition)
    )
    told = (_with_loss(texts, field, typed) for field in params) if faults else params
    return (period, *told, refresh)


def _with_loss(texts: Texts, field: Field, typed: Typed) -> Field:
    """Return a field of a form that was refused; of a secret, nothing is sent back."""
    is_lost = field.kind == "password" and typed.get(field.name) and not field.fault
    return replace(field, lost=texts("trigger.secret_again")) if is_lost else field


def typed_at_first(definition: Definition, given: Mapping[str, Any]) -> dict[str, str]:
    """Return what stands in a new form: the given values, else the defaults."""
    found = {
        PARAM + name: typed_of(param["schema"], given.get(name, param["default"]))
        for name, param in _params(definition)
    }
    return {name: text for name, text in found.items() if text}


def asked_with(definition: Definition, typed: Typed) -> Asked:
    """Return what was asked for; a param that has its default is not given."""
    values = {
        name: (value_of(param["schema"], typed.get(PARAM + name), param["default"]), param)
        for name, param in _params(definition)
    }
    params = {
        name: value
        for name, (value, param) in values.items()
        if not is_same({"": value}, {"": param["default"]})
    }
    return Asked(typed.get(PERIOD, "").strip() or None, params, refresh=bool(typed.get(REFRESH)))


def faults_of(texts: Texts, asked: Asked, definition: Definition, now: datetime) -> dict[str, str]:
    """Return what is wrong, by the name of the param."""
    found = {
        name: _fault(texts, name, asked.params[name], param["schema"])
        for name, param in _params(definition)
        if name in asked.params
    }
    try:
        period_of(asked.period, definition, now)
    except InputError as error:
        found[PERIOD] = str(error)
    return {name: text for name, text in found.items() if text}


def _fault(texts: Texts, name: str, value: Any, schema: Mapping[str, Any]) -> str | None:
    fault = fault_in(name, value, schema)
    is_secret = kind_of(schema) == "password"
    return texts("trigger.secret_fault") if fault and is_secret else fault


def _field(
    texts: Texts, name: str, schema: Mapping[str, Any], typed: str, fault: str | None
) -> Field:
    kind = kind_of(schema)
    choices = choices_of(schema, typed, texts("trigger.nothing")) if kind == "select" else ()
    if (kind == "date" and fault) or (kind == "text" and "\n" in typed):
        kind = "lines" if "\n" in typed else "text"  # such text would be lost in its own control
    shown = "" if kind == "password" else typed
    label = str(schema.get("title") or name)
    return Field(
        PARAM + name, label, kind, shown, choices, tuple(_notes(texts, schema, kind)), fault
    )


def _notes(texts: Texts, schema: Mapping[str, Any], kind: Kind) -> Iterator[str]:
    if text := schema.get("description") or schema.get("description_md"):
        yield str(text)
    rules = [f"{key} {plain(value)}" for key, value in schema.items() if key not in UNSHOWN]
    if rules:
        yield texts("trigger.allowed", rules=", ".join(rules))
    if kind == "json":
        yield texts("trigger.json")
    if kind == "password":
        yield texts("trigger.secret")


def _params(definition: Definition) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the report's own params with their schemas; none where its definition is unknown."""
    for name, param in definition.get("params", {}).items():
        if name not in (PERIOD, REFRESH):
            yield name, param
