"""What the list of a drop says, and whether the objects that are there are those."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reporting.core.fetch.s3_landing import Landed
from reporting.core.fetch.s3_list import Listed, listed_from, unfit
from reporting.errors import ContractError

pytestmark = pytest.mark.unit


def read(found: Any, items: str | None = "objects") -> list[Listed]:
    return listed_from(json.dumps(found).encode(), "the list", "drops/", items)


def test_names_are_below_the_prefix_or_whole_keys() -> None:
    said = {"key": "b c+%20.csv", "bytes": 3, "rows": 1, "etag": '"e"', "sha256": "AB"}

    assert read({"objects": ["a.csv", said, "drops/d.csv"]}) == [
        Listed("drops/a.csv"),
        Listed("drops/b c+%20.csv", 3, 1, "e", "ab"),
        Listed("drops/d.csv"),
    ]
    assert read(["a.csv"], None) == read({"files": ["a.csv"]}, "files") == [Listed("drops/a.csv")]
    assert read({"objects": []}) == []


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({}, "'objects' is no list"),
        (["a.csv"], "'objects' is no list"),
        ({"objects": "a.csv"}, "'objects' is no list"),
        ({"objects": [""]}, "item 1: allowed: a name, or an object with a text `key`"),
        ({"objects": ["a", {"name": "b"}]}, "item 2: allowed: a name"),
        ({"objects": [{"key": 1}]}, "item 1: allowed: a name"),
        ({"objects": [7]}, "item 1: allowed: a name"),
        ({"objects": [{"key": "a", "bytes": "3"}]}, "item 1: bytes='3'; allowed: int or null"),
        ({"objects": [{"key": "a", "rows": True}]}, "item 1: rows=True; allowed: int"),
        ({"objects": [{"key": "a", "etag": 1}]}, "item 1: etag=1; allowed: str"),
        ({"objects": ["a.csv", "drops/a.csv"]}, "names 'drops/a.csv' twice"),
    ],
)
def test_what_is_no_list_is_refused(found: Any, words: str) -> None:
    with pytest.raises(ContractError) as fault:
        read(found)
    assert str(fault.value).startswith("the list")
    assert words in str(fault.value)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(ContractError, match="the list is no JSON"):
        listed_from(body, "the list", "drops/", None)


def test_what_stands_behind_its_list_is_told_by_its_time_unless_by_its_content() -> None:
    told = Landed("drops/list", '"l"', 9, 100.0)
    there = {"a": Landed("a", '"e"', 3, 101.0), "b": Landed("b", '"e"', 3, 100.0)}

    assert unfit(Listed("a", bytes=3), there, told).endswith("the drop is being written again")
    assert unfit(Listed("a", etag="e"), there, told) == ""
    assert unfit(Listed("a", sha256="s"), there, told) == ""
    assert unfit(Listed("b", bytes=3), there, told) == ""
    assert unfit(Listed("b", bytes=4), there, told) == "'b' has 3 bytes; 'drops/list' says 4"
    assert unfit(Listed("b", etag="f"), there, told) == "'b' has ETag \"e\"; 'drops/list' says f"
    assert "is not there" in unfit(Listed("c"), there, told)
