"""Replies: what cannot be taken for all that was sent is refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reporting.messages import MAX_PARTS, MessageError, reply_from, request_from

pytestmark = pytest.mark.unit

REFERENCE = {"bucket": "landing", "key": "k", "bytes": 1, "sha256": "9f"}


def body(**fields: Any) -> bytes:
    return json.dumps({"version": 1, "key": "k", **fields}).encode()


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"part": MAX_PARTS + 1}, "part=1000001; allowed: 0 to 1000000"),
        ({"part": 10**4000}, "part=1000"),
        ({"part": 1, "rows": [{}], "reference": REFERENCE}, "allowed: one of them"),
        ({"part": 1, "reference": {**REFERENCE, "bytes": "1"}}, "bytes is '1'"),
        ({"part": 1, "reference": {**REFERENCE, "key": {}}}, "key is '{}'"),
        ({"part": 1, "reference": {**REFERENCE, "more": 1}}, "reference has other fields"),
        ({"part": 1, "reference": []}, "reference has other fields"),
        ({"failed": "\ud800"}, "allowed: no NUL, nor half a character"),
        ({"key": "a\0"}, "allowed: no NUL, nor half a character"),
    ],
)
def test_a_reply_that_is_none_is_refused(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(MessageError) as refusal:
        reply_from(body(**fields))
    assert named in str(refusal.value)


@pytest.mark.parametrize("read", [reply_from, request_from])
def test_an_exponent_of_twenty_digits_is_no_number(read: Any) -> None:
    with pytest.raises(MessageError, match="no JSON"):
        read(b'{"version": 1, "key": "k", "rows": [{"a": 1e99999999999999999999}]}')


@pytest.mark.parametrize(
    ("fields", "is_one"),
    [
        ({}, True),
        ({"progress": "half of it"}, True),
        ({"rows": [{"id": 1}]}, False),
        ({"reference": REFERENCE}, False),
        ({"is_last": True}, False),
        ({"failed": "no"}, False),
        ({"part": 1}, False),
    ],
)
def test_a_message_with_anything_to_tell_is_no_sign_of_life(
    fields: dict[str, Any], is_one: bool
) -> None:
    assert reply_from(body(**fields)).is_sign_of_life is is_one
