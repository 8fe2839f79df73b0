"""Announcements of upstream events: what is none is refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reporting.announcements import Announcement, announcement_bytes, announcement_from
from reporting.messages import MessageError

pytestmark = pytest.mark.unit

GOOD: dict[str, Any] = {"version": 1, "event": "orders_loaded", "id": "7"}


def read(**changes: Any) -> Announcement:
    fields = {key: value for key, value in {**GOOD, **changes}.items() if value is not ...}
    return announcement_from(json.dumps(fields).encode(), "orders_loaded")


def nested(levels: int) -> list[Any]:
    return [nested(levels - 1)] if levels else []


def test_what_is_written_is_read() -> None:
    said = Announcement("orders_loaded", "Lauf 7 süd", "2024-05-01", {"shop": "web", "n": 1.5})
    assert announcement_from(announcement_bytes(said), "orders_loaded") == said


def test_period_and_params_may_be_left_out() -> None:
    assert read() == read(period=None, params=None) == Announcement("orders_loaded", "7")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"version": 2}, "no JSON object of version 1"),
        ({"event": "refunds_loaded"}, "event is 'refunds_loaded'; this queue is for 'orders_load"),
        ({"event": ...}, "event is None"),
        ({"id": ...}, "id is None; allowed: a text of 1 to 200 characters"),
        ({"id": ""}, "id is ''"),
        ({"id": 7}, "id is 7"),
        ({"id": "x" * 201}, "id is 'xxx"),
        ({"period": 20240501}, "period is 20240501; allowed: a JSON text, or null"),
        ({"params": ["web"]}, "params is ['web']; allowed: a JSON object"),
        ({"perod": "2024-05-01"}, "field 'perod' is unknown; allowed: version, event, id, period"),
        ({"params": {"a": "\0"}}, "it holds NUL"),
        ({"params": {"a": "\ud800"}}, "half a character"),
        ({"params": {"a": float("nan")}}, "no JSON"),
        ({"params": {"a": "x" * 70_000}}, "allowed: up to 65536"),
        ({"params": {"a": 2**63}}, "9223372036854775808 is beyond the whole numbers of 64 bits"),
        ({"params": {"a": nested(60)}}, "params is nested deeper than 50 levels"),
    ],
)
def test_what_is_no_announcement_is_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(MessageError) as refusal:
        read(**changes)
    assert named in str(refusal.value)


@pytest.mark.parametrize("body", [b"", b"not json", b"\xff", b"[1]", b"[" * 60_000])
def test_bytes_that_are_none_are_refused(body: bytes) -> None:
    with pytest.raises(MessageError):
        announcement_from(body, "orders_loaded")


def test_a_number_beyond_all_numbers_is_refused() -> None:
    """Airflow would write it into its database as `Infinity`, which is no JSON there."""
    with pytest.raises(MessageError, match="1e400 is beyond all numbers"):
        announcement_from(b'{"version": 1, "params": {"a": 1e400}}', "orders_loaded")
