"""What is repeated of an answer that is no success: the service's own words, and no rows."""

from __future__ import annotations

import json
import logging

import pytest

from reporting.core.fetch.refusal import refusal
from reporting.core.fetch.said import Said

pytestmark = pytest.mark.unit
ROWS = json.dumps([{"id": n, "name": "ann"} for n in range(3)])


def told(body: str, kind: str = "application/json", status: int = 422) -> str:
    said = Said(body.encode(), kind)
    return str(refusal("GET /v1", status, said, "", ["S3CR3T"]))


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"error": "no such day"}', "error: no such day"),
        ('{"title": "Bad", "detail": "no day", "status": 422}', "detail: no day; title: Bad"),
        ('{"error": {"code": 7, "message": "no such day"}}', "error: no such day"),
        ('{"errors": [{"message": "a"}, "b"]}', "errors: a, b"),
        ('{"error": 7}', "error: 7"),
        (f'{{"message": "no", "items": {ROWS}}}', "message: no"),
        ('{"error": "key S3CR3T"}', "error: key …"),
        ("no such job", "no such job"),
        ('"no such day"', '"no such day"'),
    ],
)  # fmt: skip
def test_the_services_own_words_are_kept(body: str, words: str) -> None:
    assert told(body) == f"GET /v1 answered 422: {words}"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (ROWS, "application/json"),
        (f'{{"items": {ROWS}}}', "application/json"),
        ('{"id": 1, "name": "ann"}\n{"id": 2}', "application/x-ndjson"),
        ("id,name\n1,ann\n", "text/csv"),
        ("1,ann", "text/csv; charset=utf-8"),
        ("<html><body>ann</body></html>", "text/html"),
        ("ann " * 100, "text/plain"),
        (f'{{"error": {{"rows": {ROWS}}}}}', "application/json"),
        ('{"error": "x", ann', "application/json"),
        ("[" * 9000, "application/json"),
    ],
)
def test_of_anything_else_only_type_and_size_are_told(
    body: str, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    assert told(body, kind) == f"GET /v1 answered 422: {kind}, {len(body):,} bytes."
    assert "answered 422 with: " in caplog.text


def test_the_log_has_the_beginning_without_secrets(caplog: pytest.LogCaptureFixture) -> None:
    told('{"items": ["S3CR3T", "ann"]}')
    assert '{"items": ["…", "ann"]}' in caplog.text
    assert "S3CR3T" not in caplog.text


def test_long_words_of_a_service_are_cut() -> None:
    assert len(told(json.dumps({"error": "x" * 900}))) < 250


def test_an_answer_without_a_body_says_so() -> None:
    assert told("", "") == "GET /v1 answered 422 without a word."
    assert told("ann\n" * 9, "") == "GET /v1 answered 422: no content type, 36 bytes."


def test_the_size_of_an_answer_that_was_not_read_to_its_end_is_a_least_one() -> None:
    said = Said(b"<" * 9, "text/html", is_whole=False)
    assert str(refusal("GET /v1", 500, said, "", ())).endswith("text/html, 9 bytes or more.")
