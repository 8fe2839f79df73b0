"""When objects have settled, and what makes two looks find the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.fetch.s3_landing import Landed
from reporting.core.fetch.s3_look import Look, moving

pytestmark = pytest.mark.unit

A, B = Landed("a", '"1"', 3, 100.0), Landed("b", '"2"', 4, 110.0)
BOTH = Look((A, B))


@pytest.mark.parametrize(
    ("before", "clock", "words"),
    [
        (BOTH.sign, 169.0, "the newest of 2 objects is 59 s old; 0:01:00 are due"),
        ("", 170.0, "two looks have not found the same (yet)"),
        (Look((A,)).sign, 170.0, "two looks have not found the same (yet)"),
        (BOTH.sign, 170.0, ""),
    ],
)
def test_objects_have_settled_when_they_are_old_and_found_twice(
    before: str, clock: float, words: str
) -> None:
    assert moving(BOTH, before, clock, 60.0) == words


@pytest.mark.parametrize(
    "other",
    [replace(A, key="c"), replace(A, etag='"9"'), replace(A, bytes=9), replace(A, version="v")],
)
def test_another_object_is_another_find(other: Landed) -> None:
    assert Look((other, B)).sign != BOTH.sign


LANDED = st.builds(
    Landed, st.text(), st.text(), st.integers(0), st.just(0.0), st.sampled_from([None, "", "v"])
)


@given(st.lists(LANDED, max_size=4), st.lists(LANDED, max_size=4))
def test_equal_signs_are_equal_finds(one: list[Landed], other: list[Landed]) -> None:
    def named(objects: list[Landed]) -> list[Landed]:
        return [replace(o, version=o.version or None) for o in objects]

    is_same = Look(tuple(one)).sign == Look(tuple(other)).sign
    assert is_same == (named(one) == named(other))
