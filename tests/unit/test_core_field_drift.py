"""A declared field that no row has was renamed, unless the source says that it may be left out."""

from __future__ import annotations

import pytest

from reporting.core.fetch.field_drift import field_drift
from reporting.definition.sources import HttpSource
from reporting.errors import ContractError, DefinitionError

pytestmark = pytest.mark.unit
COLUMNS = {"id": "int64 not null", "topic": "text", "note": "text"}


def source(*may_be_absent: str) -> HttpSource:
    return HttpSource("tickets", "api", "/v1", columns=COLUMNS, may_be_absent=may_be_absent)


def test_a_field_that_no_row_has_ends_the_fetch() -> None:
    with pytest.raises(ContractError) as fault:
        field_drift(source("note"), {"id", "subject"})

    assert str(fault.value) == (
        "Source 'tickets': no row has 'topic'. Fields that are not declared: 'subject'. Correct "
        "`columns`, or name it in `may_be_absent` if the service leaves out what is NULL."
    )


def test_what_is_added_and_what_may_be_absent_is_told() -> None:
    assert field_drift(source("topic", "note"), {"id", "note", "more", "a\0"}) == {
        "added_fields": [r"a\0", "more"],
        "absent_fields": ["topic"],
    }


def test_nothing_is_absent_where_there_are_no_rows() -> None:
    assert field_drift(source(), ()) == {}


@pytest.mark.parametrize("name", ["topik", "id"])
def test_only_a_column_that_may_be_null_may_be_absent(name: str) -> None:
    with pytest.raises(DefinitionError, match="may_be_absent names"):
        source(name)
