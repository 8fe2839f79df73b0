r"""Lists as PostgreSQL writes them: every element as it is, and no other shape."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporting.core.array_text import list_text, read_list

pytestmark = pytest.mark.unit

ELEMENTS = st.none() | st.text() | st.sampled_from(["", "NULL", "null", "{", "}", '"', "\\", ","])


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("{}", []),
        ("{1,-2,NULL}", ["1", "-2", None]),
        ('{"NULL",null,Null}', ["NULL", "null", "Null"]),
        ('{""}', [""]),
        ('{"a,b","c\\"d","e\\\\f","{","}"," x "}', ["a,b", 'c"d', "e\\f", "{", "}", " x "]),
        ('{"\n","\t"}', ["\n", "\t"]),
        ("{a b}", ["a b"]),
        ('{"{1,2}"}', ["{1,2}"]),
        # blanks that only Unicode knows stand without quotes
        ("{\u00a0a,\u3000,\x1c,\x85b}", ["\u00a0a", "\u3000", "\x1c", "\x85b"]),
    ],
)
def test_elements_are_read_as_they_are(text: str, elements: list[str | None]) -> None:
    assert read_list(text) == elements


@pytest.mark.parametrize(
    "text",
    ["", "1", "{", "}", "{1", "1}", "{1,}", "{,1}", "{,}", "{ 1}", "{1}\n", "{{1,2},{3,4}}", "{{}}",
     "[0:1]={1,2}", "[2:2]={1}", "{1}{2}", '{"a}', '{"a"b}', '{a"b"}', '{"a\\"}', "{a\\b}"],
)  # fmt: skip
def test_f33_another_shape_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"no list|more than one dimension"):
        read_list(text)


@settings(max_examples=80)
@given(st.lists(ELEMENTS))
def test_any_elements_come_back(elements: list[str | None]) -> None:
    assert read_list(list_text(elements)) == elements
