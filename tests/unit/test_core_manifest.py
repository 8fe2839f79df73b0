"""The manifest says the same after a round trip, and what is no manifest is an IntegrityError."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.manifest import Manifest, Part, manifest_from_bytes
from reporting.definition.columns import MAX_IDENTIFIER_BYTES, PLAIN_TYPES, columns_from
from reporting.errors import IntegrityError

pytestmark = pytest.mark.unit

texts = st.text(st.characters(exclude_categories=["Cs"]))
types = st.builds(
    "{}{}{}".format,
    st.sampled_from([*PLAIN_TYPES, "decimal(20,6)"]),
    st.sampled_from(["", "[]"]),
    st.sampled_from(["", " not null"]),
)
columns = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(
        lambda name: len(name.encode()) <= MAX_IDENTIFIER_BYTES
    ),
    types,
    min_size=1,
    max_size=4,
)
parts = st.builds(Part, texts, st.integers(0), st.integers(0), texts)
facts = st.dictionaries(texts, st.integers() | texts | st.none())


@given(columns, st.lists(parts, max_size=4), facts, st.none() | parts)
def test_a_manifest_survives_the_store(
    declared: dict[str, str], found: list[Part], said: dict[str, object], bad: Part | None
) -> None:
    manifest = Manifest(
        "orders", "a1", tuple(found), columns_from("x", declared), "2024", "2025", said, bad, "0f"
    )

    read = manifest_from_bytes("Object 'k'", manifest.to_bytes())

    assert read == manifest
    assert (read.rows, read.digest) == (manifest.rows, manifest.digest)


def test_counts_are_those_of_all_parts() -> None:
    manifest = Manifest("o", "a", (Part("k", 5, 2, "x"), Part("l", 7, 3, "y")), (), "", "")

    assert (manifest.rows, manifest.size, manifest.digest) == (5, 12, "x y")


def test_rows_set_aside_are_an_object_of_it_and_no_data() -> None:
    part, bad = Part("k", 5, 2, "x"), Part("q", 9, 4, "z")
    manifest = Manifest("o", "a", (part,), (), "", "", {}, bad)

    assert manifest.keys == ["k", "q"]
    assert (manifest.rows, manifest.size, manifest.digest) == (2, 5, "x")


GOOD = json.loads(Manifest("o", "a", (Part("k", 1, 1, "h"),), columns_from("x", {"i": "int64"}),
                           "", "").to_bytes())  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"\xff\xfe", b"[]", b"null", b"1", b"{}",
        json.dumps(GOOD | {"format": 2}).encode(),
        json.dumps(GOOD | {"parts": [{"key": "k"}]}).encode(),
        json.dumps(GOOD | {"parts": None}).encode(),
        json.dumps(GOOD | {"schema": {"i": "int46"}}).encode(),
        json.dumps(GOOD | {"schema": ["i"]}).encode(),
        json.dumps(GOOD | {"facts": None}).encode(),
        *(json.dumps({k: v for k, v in GOOD.items() if k != name}).encode()
          for name in GOOD if name not in ("rows", "origin")),
    ],
)  # fmt: skip
def test_what_is_no_manifest_is_named(body: bytes) -> None:
    with pytest.raises(IntegrityError, match=r"Object 'a/b' is no manifest of format 1 \("):
        manifest_from_bytes("Object 'a/b'", body)


def test_the_good_one_of_the_cases_is_good() -> None:
    assert manifest_from_bytes("x", json.dumps(GOOD).encode()).rows == 1


def test_a_manifest_of_an_earlier_version_has_no_origin() -> None:
    earlier = {name: value for name, value in GOOD.items() if name != "origin"}
    assert manifest_from_bytes("x", json.dumps(earlier).encode()).origin == ""
