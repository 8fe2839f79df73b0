"""A service that plays a fault in mid-paging: nothing of it is staged, and what comes next."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from reporting.core.staging import Staging
from reporting.errors import ContractError, ReportError, TerminalError, TransientError
from tests.integration import hostile_http as faults
from tests.integration.hostile_http import Fault, Hostile, named
from tests.integration.http_fetching import by_cursor, fetch, nothing_is_left, rows
from tests.integration.scripted_service import Reply, page, serving

pytestmark = pytest.mark.integration

PAGES = by_cursor({None: page(*rows(0, 50), cursor="b"), "b": page(*rows(50, 50))})
CUT: list[Fault] = [
    faults.cut_length,
    faults.cut_short,
    faults.no_last_chunk,
    faults.broken_chunk,
    faults.cut_gzip,
    faults.no_gzip,
    faults.hung_up,
]
LATER: list[Fault] = [faults.busy, faults.away, faults.broken]
DRIPS: list[Fault] = [faults.dripping, faults.dripping_head, faults.dripping_refusal]
NO_PAGE: list[Fault] = [faults.login_page, faults.error_object]


def failure(staging: Staging, service: Hostile, kind: type[ReportError]) -> str:
    """Fetch from a service whose second answer is a fault; return what is said of it."""
    with serving(service.answer) as running, pytest.raises(kind) as found:
        fetch(staging, running.url)
    assert service.count == 2
    assert nothing_is_left(staging)
    return str(found.value)


def whole(staging: Staging, service: Hostile) -> bool:
    with serving(service.answer) as running:
        return bool(fetch(staging, running.url)["id"].to_pylist() == list(range(100)))


@pytest.mark.parametrize("fault", CUT, ids=named(*CUT))
def test_f49_a_page_that_was_cut_off_is_read_again(staging: Staging, fault: Fault) -> None:
    service = Hostile(PAGES, {2: fault})

    told = failure(staging, service, TransientError)

    assert told.startswith("Source 'orders': GET /v1/orders ")
    assert whole(staging, service)


@pytest.mark.parametrize("fault", LATER, ids=named(*LATER))
def test_a_page_that_is_to_be_had_later_is_asked_for_later(staging: Staging, fault: Fault) -> None:
    service = Hostile(PAGES, {2: fault})

    failure(staging, service, TransientError)

    assert whole(staging, service)


@pytest.mark.parametrize("fault", NO_PAGE, ids=named(*NO_PAGE))
def test_a_200_that_is_no_page_ends_the_fetch(staging: Staging, fault: Fault) -> None:
    failure(staging, Hostile(PAGES, {2: fault}), ContractError)


def test_a_refusal_ends_the_fetch_with_the_services_words(staging: Staging) -> None:
    told = failure(staging, Hostile(PAGES, {2: faults.refused}), TerminalError)

    assert told == "Source 'orders': GET /v1/orders answered 422: error: no such day"


@pytest.mark.parametrize("error", [b'"timed out"', b'{"code": 7}', b"true"])
def test_rows_beside_an_error_are_no_page(staging: Staging, error: bytes) -> None:
    """An empty list beside an error looks like a day without rows."""
    for body in (b'{"items": [], "error": %b}', b'{"errors": %b, "items": [{"id": 1}]}'):
        with serving(lambda _, body=body: Reply(body % error)) as service:  # type: ignore[misc]
            for way in ({}, {"pages": None}):
                with pytest.raises(ContractError, match="tells of an error"):
                    fetch(staging, service.url, **way)
    assert nothing_is_left(staging)


@pytest.mark.parametrize("none", [b"null", b'""', b"[]", b"{}", b"false", b"0"])
def test_a_field_of_errors_without_any_is_no_error(staging: Staging, none: bytes) -> None:
    body = b'{"error": %b, "items": [{"id": 1, "name": "a"}], "errors": %b}' % (none, none)
    with serving(lambda _: Reply(body)) as service:
        assert fetch(staging, service.url).num_rows == 1
        assert fetch(staging, service.url, pages=None).num_rows == 1


@pytest.mark.parametrize("fault", DRIPS, ids=named(*DRIPS))
def test_f84_an_answer_that_drips_ends_within_the_total_limit(
    staging: Staging, fault: Fault
) -> None:
    """Each byte comes within the read timeout; only the total limit can end it."""
    service = Hostile(PAGES, {1: fault})
    began = time.monotonic()
    with serving(service.answer) as running, pytest.raises(TransientError) as found:
        fetch(staging, running.url, read_timeout=60, time_limit=timedelta(seconds=1))

    assert time.monotonic() - began < 30
    words = str(found.value)
    ends = ("had not ended after 0:00:01", "failed: timed out", "answered 500: xxx")
    assert any(end in words for end in ends)
    assert nothing_is_left(staging)


def test_a_zip_bomb_is_not_unpacked(staging: Staging) -> None:
    service = Hostile(PAGES, {1: faults.zip_bomb})
    with serving(service.answer) as running, pytest.raises(ContractError) as found:
        fetch(staging, running.url, max_bytes=4 * 1024 * 1024)

    assert "answered more than 4,194,304 bytes" in str(found.value)
    assert nothing_is_left(staging)
