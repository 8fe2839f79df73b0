"""Fetching from a real HTTP server that behaves as badly as those in the field."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from reporting.core.staging import Staging
from reporting.errors import ContractError, ReportError, TerminalError, TransientError
from tests.integration.http_fetching import by_cursor, fetch, nothing_is_left, rows
from tests.integration.scripted_service import Reply, Request, page, serving

pytestmark = pytest.mark.integration


def test_f45_the_end_is_the_services_own_word_not_a_short_page(staging: Staging) -> None:
    answers = by_cursor({
        None: page(*rows(0, 100), cursor="a"),
        "a": page(*rows(100, 37), cursor="b"),
        "b": page(cursor=7),
        "7": page(*rows(137, 100)),
    })  # fmt: skip
    with serving(answers) as service:
        table = fetch(staging, service.url)

    assert table["id"].to_pylist() == list(range(237))
    manifest = staging.manifest("orders")
    assert manifest is not None
    assert (manifest.rows, manifest.facts["pages"]) == (237, 4)


@pytest.mark.parametrize("next_of", [{"A": "B", "B": "A"}, {"A": "A"}, {"": ""}],
                         ids=["cycle", "ignored", "empty"])  # fmt: skip
def test_f47_cursors_that_go_in_circles_are_named(
    staging: Staging, next_of: dict[str, str]
) -> None:
    start = next(iter(next_of))

    def answer(request: Request) -> Reply:
        cursor = request.query.get("cursor")
        return page(*rows(0, 2), cursor=start if cursor is None else next_of[cursor])

    with serving(answer) as service, pytest.raises(ContractError, match="repeats cursor"):
        fetch(staging, service.url)

    assert len(service.requests) <= 4
    assert nothing_is_left(staging)


@pytest.mark.parametrize("cursor", [True, 1.5, {"a": 1}, ["x"]])
def test_a_cursor_that_is_none_is_refused(staging: Staging, cursor: Any) -> None:
    with serving(lambda _: page(cursor=cursor)) as service, pytest.raises(ContractError) as fault:
        fetch(staging, service.url)

    assert "cursor 'next' is" in str(fault.value)


@pytest.mark.parametrize(
    ("reply", "kind", "wait"),
    [
        (Reply(status=429, headers={"Retry-After": "7"}), TransientError, 7),
        (Reply(status=429, headers={"Retry-After": "9" * 20}), TransientError, 3600),
        (Reply(status=503, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
         TransientError, None),
        (Reply(status=503, headers={"Retry-After": "²"}), TransientError, None),
        (Reply(status=503, headers={"Retry-After": f"Mon, 01 Jan 2035 00:00:00 +{'9' * 14}"}),
         TransientError, None),
        (Reply(status=500), TransientError, None),
        (Reply(status=408), TransientError, None),
        (Reply(status=404), TerminalError, None),
        (Reply(status=401), TerminalError, None),
        (Reply(status=204), TerminalError, None),
    ],
)  # fmt: skip
def test_the_status_decides_whether_to_come_again(
    staging: Staging, reply: Reply, kind: type[ReportError], wait: int | None
) -> None:
    with serving(lambda _: reply) as service, pytest.raises(kind) as fault:
        fetch(staging, service.url)

    assert f"'orders': GET /v1/orders answered {reply.status}" in str(fault.value)
    waited = getattr(fault.value, "retry_after", None)
    assert waited == (None if wait is None else timedelta(seconds=wait))
    assert nothing_is_left(staging)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>please log in</html>", ["text/html", "not JSON"]),
        (b"", ["not JSON"]),
        (b"[]", ["no list of objects 'items'", "no fields"]),
        (b"[" * 100_000, ["not JSON"]),
        (b'{"items": "\xff"}', ["not JSON"]),
        (b'{"data": [], "next": null}', ["no list of objects 'items'", "data, next"]),
        (b'{"items": [1]}', ["no list of objects 'items'"]),
        (b'{"items": null}', ["no list of objects 'items'"]),
        (b'{"items": [{"id": "x"}]}', ["row 1, column 'id': \"x\"", "int64 not null"]),
        (b'{"items": [{"name": "x"}]}', ["row 1, column 'id': NULL"]),
    ],
)
def test_200_with_another_shape_is_refused(staging: Staging, body: bytes, words: list[str]) -> None:
    reply = Reply(body, headers={"Content-Type": "text/html"})
    with serving(lambda _: reply) as service, pytest.raises(ContractError) as fault:
        fetch(staging, service.url)

    for word in (*words, "'orders'"):
        assert word in str(fault.value)
    assert nothing_is_left(staging)


def test_f28_f30_numbers_are_exact(staging: Staging) -> None:
    body = b'{"items": [{"id": 9007199254740993, "n": 12345678901234.567891}, {"id": 1, "n": 0.1}]}'
    with serving(lambda _: Reply(body)) as service:
        columns = {"id": "int64", "n": "decimal(20,6)", "gone": "text"}
        table = fetch(staging, service.url, columns=columns, may_be_absent=["gone"])

    assert table["id"].to_pylist() == [9007199254740993, 1]
    assert table["n"].to_pylist() == [Decimal("12345678901234.567891"), Decimal("0.100000")]
    assert table["gone"].to_pylist() == [None, None]


def test_the_query_is_filled_from_the_run(staging: Staging) -> None:
    with serving(lambda _: page()) as service:
        fetch(
            staging,
            service.url,
            params={"carrier": None, "flag": True, "text": "a&b=c %é"},
            query={
                "from": "{period_start}",
                "day": "{period}",
                "carrier": "{carrier}",
                "flag": "{flag}",
                "q": '{"t": "{text}"}',
            },
        )

    assert service.requests[0].query == {
        "from": "2024-04-30T22:00:00+00:00",
        "day": "2024-05-01",
        "flag": "true",
        "q": '{"t": "a&b=c %é"}',
    }
    assert json.loads(service.requests[0].query["q"]) == {"t": "a&b=c %é"}


@pytest.mark.parametrize(
    "body",
    [
        b'{"items": [{"id": 1e99999999999999999999}]}',  # no decimal has such an exponent
        b'{"items": [{"id": ' + b"1" * 5000 + b"}]}",  # more digits than Python reads
    ],
)
def test_f33_a_number_beyond_all_numbers_is_an_answer_of_another_shape(
    staging: Staging, body: bytes
) -> None:
    with serving(lambda _: Reply(body)) as service, pytest.raises(ContractError) as fault:
        fetch(staging, service.url)

    assert "'orders': GET /v1/orders answered 'application/json', not JSON" in str(fault.value)
    assert nothing_is_left(staging)


def test_f35_names_that_no_database_can_hold_are_told_in_other_letters(staging: Staging) -> None:
    """Facts of a source go into the manifest, the log and the warehouse."""
    body = rb'{"items": [{"id": 1, "\ud800": 1, "a\u0000b": 2, "\u00e9": 3, "name": ""}]}'
    with serving(lambda _: Reply(body)) as service:
        fetch(staging, service.url)

    manifest = staging.manifest("orders")
    assert manifest is not None
    assert manifest.facts["added_fields"] == [r"\ud800", r"a\0b", "é"]


def test_f33_json_that_is_nested_hundreds_deep_is_a_row_that_does_not_fit(
    staging: Staging,
) -> None:
    body = b'{"items": [{"id": 1, "v": ' + b"[" * 600 + b"]" * 600 + b"}]}"
    with serving(lambda _: Reply(body)) as service, pytest.raises(ContractError) as fault:
        fetch(staging, service.url, columns={"id": "int64", "v": "json"})

    assert "row 1, column 'v': " in str(fault.value)
