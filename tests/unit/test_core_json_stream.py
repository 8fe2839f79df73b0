"""Large JSON answers are read row by row, whole or not at all."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.fetch import json_stream
from reporting.core.fetch.json_stream import READ_BYTES, NotJsonError, rows_of

pytestmark = pytest.mark.unit

ANY = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


class Slow(io.RawIOBase):
    """Gives few bytes at a time, as a network may."""

    def __init__(self, body: bytes, size: int) -> None:
        super().__init__()
        self._body, self._size = body, size

    def read(self, size: int = -1) -> bytes:  # noqa: ARG002 - it gives what it has
        piece, self._body = self._body[: self._size], self._body[self._size :]
        return piece


def rows(body: bytes, items: str | None = "items") -> list[Any]:
    return list(rows_of(Slow(body, READ_BYTES), items))


@given(st.lists(ANY), st.dictionaries(st.text(), ANY), st.integers(1, 9), st.booleans())
def test_what_was_sent_is_read_however_it_is_cut_into_pieces(
    sent: list[Any], around: dict[str, Any], size: int, is_first: bool
) -> None:
    around.pop("items", None)
    whole = {"items": sent, **around} if is_first else {**around, "items": sent}
    body = json.dumps(whole, ensure_ascii=False).encode()

    assert list(rows_of(Slow(body, size), "items")) == sent


def test_f28_f30_numbers_keep_all_digits() -> None:
    assert rows(b'[{"a": 1.10, "b": 9007199254740993}]', None) == [
        {"a": Decimal("1.10"), "b": 9007199254740993}
    ]


def test_a_number_that_is_cut_by_a_piece_is_read_whole() -> None:
    body = b"[" + b" " * (READ_BYTES - 3) + b"123456, 7]"

    assert rows(body, None) == [123456, 7]


@pytest.mark.parametrize("end", range(1, 21))
def test_f49_an_answer_that_was_cut_off_anywhere_is_refused(end: int) -> None:
    body = b'{"items": [{"id": 1}, {"id": 2}], "next": null}'

    with pytest.raises(NotJsonError):
        rows(body[:-end])


@pytest.mark.parametrize(
    ("body", "items", "words"),
    [
        (b"", "items", "no object with a list 'items'"),
        (b"<html>log in</html>", "items", "<html>log in"),
        (b"[]", "items", "no object"),
        (b"{}", "items", "without a list 'items'"),
        (b'{"error": "no such day"}', "items", "error: no such day"),
        (b'{"items": null}', "items", "no list 'items': 'null"),
        (b'{"items": []} {}', "items", "more than one value"),
        (b"[1 2]", None, "no end of the list"),
        (b"[1,]", None, "JSONDecodeError"),
        (b"[" + b"9" * 5000 + b"]", None, "ValueError"),
        (b"[" * 100_000, None, "RecursionError"),
        (b"[1e99999999999999999999]", None, "InvalidOperation"),
        (b'["\xff"]', None, "no UTF-8"),
    ],
)
def test_what_is_no_such_list_is_named(body: bytes, items: str | None, words: str) -> None:
    with pytest.raises(NotJsonError) as fault:
        rows(body, items)

    assert words in str(fault.value)


def test_f64_a_value_that_has_no_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "LONGEST_VALUE", 1_000_000)

    class Endless(io.RawIOBase):
        def read(self, size: int = -1) -> bytes:
            return b'["' + b"x" * size

    with pytest.raises(NotJsonError):
        list(rows_of(Endless(), None))
