"""A zipped body: each member of it, in pieces of bounded size."""

from __future__ import annotations

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.fetch.unzip import PIECE_BYTES, unzipped

pytestmark = pytest.mark.unit


@given(st.lists(st.binary(), min_size=1), st.integers(1, 50), st.integers(0, 3))
def test_all_members_are_one_body_however_it_is_cut_into_pieces(
    members: list[bytes], size: int, fill: int
) -> None:
    zipped = b"".join(gzip.compress(member) for member in members) + b"\0" * fill
    pieces = [zipped[start : start + size] for start in range(0, len(zipped), size)]

    assert b"".join(unzipped(pieces)) == b"".join(members)


def test_a_piece_that_unzips_to_much_comes_in_pieces() -> None:
    body = b"x" * (PIECE_BYTES * 5 + 1)

    sizes = [len(piece) for piece in unzipped([gzip.compress(body)])]

    assert sum(sizes) == len(body)
    assert max(sizes) == PIECE_BYTES


@pytest.mark.parametrize("left", [1, 12, 30])
def test_one_that_ends_within_a_member_is_cut_off(left: int) -> None:
    whole, other = gzip.compress(b"one"), gzip.compress(b"another, and longer")
    with pytest.raises(EOFError):
        list(unzipped([whole + other[:left]]))


def test_what_follows_and_is_no_member_is_damage() -> None:
    with pytest.raises(zlib.error):
        list(unzipped([gzip.compress(b"one") + b"two"]))
