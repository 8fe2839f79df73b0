"""The reference says what the code says now."""

from __future__ import annotations

from dataclasses import fields

import pytest
from docs.generate import FOLDER, PAGES
from docs.generator.definition import HANDED_OUT, ORDER, field_row
from docs.generator.settings import PORTS
from docs.generator.warehouse import columns

import reporting
from embedded_stack.ports import Ports
from reporting.core.warehouse.schema import DDL

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("name", sorted(PAGES))
def test_the_page_is_what_the_code_gives(name: str) -> None:
    committed = (FOLDER / "reference" / name).read_text(encoding="utf-8")
    assert committed == PAGES[name](), "run: .venv/bin/python docs/generate.py"


def test_no_page_is_left_from_before() -> None:
    assert {path.name for path in (FOLDER / "reference").iterdir()} == set(PAGES)


def test_every_public_class_is_there() -> None:
    named = {*ORDER, *(kind.__name__ for kind in HANDED_OUT)}
    assert set(reporting.__all__) <= named


@pytest.mark.parametrize("name", ORDER)
def test_every_field_has_a_meaning(name: str) -> None:
    kind = getattr(reporting, name)
    for field in fields(kind):
        assert not field.init or field_row(kind, field)[-1], field.name


def test_every_column_of_the_warehouse_has_a_meaning() -> None:
    found = list(columns(DDL.read_text(encoding="utf-8")))
    assert found
    assert [name for name, _, meaning in found if not meaning] == []


def test_every_port_has_a_meaning() -> None:
    assert set(PORTS) == {field.name for field in fields(Ports)}
