"""Pages by number, offset or link: the end is the service's word, and what shifts is found."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from threading import Event
from typing import Any

import pytest

from reporting import LinkPages, NumberPages
from reporting.core.staging import Staging
from reporting.errors import ContractError, TerminalError, TransientError
from tests.integration.http_fetching import SECRET, fetch, nothing_is_left, rows
from tests.integration.scripted_service import Reply, Request, page, serving

pytestmark = pytest.mark.integration

Answer = Callable[[Request], Reply]


def answered(content: Any, **headers: str) -> Reply:
    return Reply(json.dumps(content).encode(), headers=headers)


def by_offset(*sizes: int, total: int | None = None, key: str = "offset") -> Answer:
    """Give pages of these sizes, the next one where the last has ended."""
    starts = {sum(sizes[:number]): (number, size) for number, size in enumerate(sizes)}

    def answer(request: Request) -> Reply:
        start = int(request.query[key])
        number, size = starts.get(start, (len(sizes), 0))
        told = {"total": sum(sizes) if total is None else total, "more": number < len(sizes) - 1}
        return answered({"items": rows(start, size), **told})

    return answer


@pytest.mark.parametrize(
    ("pages", "sizes"),
    [
        (NumberPages(total="total"), (100, 37, 100)),
        (NumberPages(more="more"), (100, 37, 100)),
        (NumberPages(), (100, 37, 100)),
        (NumberPages(more="more", step=100), (100, 100, 37)),
    ],
    ids=["total", "more", "the first without rows", "fixed step"],
)
def test_f45_the_last_page_is_told_and_not_guessed(
    staging: Staging, pages: NumberPages, sizes: tuple[int, ...]
) -> None:
    with serving(by_offset(*sizes)) as service:
        table = fetch(staging, service.url, pages=pages)

    assert table["id"].to_pylist() == list(range(237))


def test_f45_an_empty_page_before_the_end_is_no_end(staging: Staging) -> None:
    def answer(request: Request) -> Reply:
        number = int(request.query["page"])
        return answered({"items": rows(number, number % 2), "more": number < 5})

    with serving(answer) as service:
        table = fetch(staging, service.url, pages=NumberPages("page", 1, 1, more="more"))

    assert table["id"].to_pylist() == [1, 3, 5]


@pytest.mark.parametrize("pages", [NumberPages(), NumberPages(more="more"),
                                   NumberPages(total="total")])  # fmt: skip
def test_f47_an_offset_that_the_service_ignores_is_found(
    staging: Staging, pages: NumberPages
) -> None:
    same = answered({"items": rows(0, 10), "more": True, "total": 100})
    with (
        serving(lambda _: same) as service,
        pytest.raises(ContractError, match="offset=10 gives the same rows as the page before"),
    ):
        fetch(staging, service.url, pages=pages)

    assert len(service.requests) == 2
    assert nothing_is_left(staging)


def test_f84_pages_without_an_end_are_left_at_the_time_limit(staging: Staging) -> None:
    numbers = count()
    with (
        serving(lambda _: page(*rows(0, 1), cursor=next(numbers))) as service,
        pytest.raises(TransientError, match="had not ended after 0:00:01"),
    ):
        fetch(staging, service.url, time_limit=timedelta(seconds=1))

    assert nothing_is_left(staging)


def test_f84_silence_at_the_time_limit_is_told_as_that_limit(staging: Staging) -> None:
    is_left = Event()

    def silent(_: Request) -> Reply:
        is_left.wait(30)
        return page(*rows(0, 1))

    with serving(silent) as service:
        with pytest.raises(TransientError, match="had not ended after 0:00:01"):
            fetch(staging, service.url, time_limit=timedelta(seconds=1))
        is_left.set()


def changing(*pages: Any) -> Answer:
    left = list(pages)
    return lambda _: answered(left.pop(0))


KEYED = NumberPages(total="total", key=["id"])


@pytest.mark.parametrize(
    ("pages", "sent", "words"),
    [
        (
            KEYED,
            [{"total": 4, "items": rows(0, 2)}, {"total": 5, "items": rows(2, 2)}],
            "total was 4 and is 5 now",
        ),
        (
            KEYED,
            [{"total": 4, "items": rows(0, 2)}, {"total": 4, "items": rows(1, 2)}],
            r"key \('1',\) came twice",
        ),
        (
            KEYED,
            [{"total": 4, "items": rows(0, 3)}, {"total": 4, "items": []}],
            "3 rows came, the service counts 4",
        ),
        (
            KEYED,
            [{"total": 4, "items": rows(0, 3)}, {"total": 4, "items": rows(3, 2)}],
            "5 rows came, the service counts 4",
        ),
    ],
    ids=["another total", "a key twice", "fewer than counted", "more than counted"],
)
def test_data_that_changes_while_it_is_read_is_read_again(
    staging: Staging, pages: NumberPages, sent: list[Any], words: str
) -> None:
    with serving(changing(*sent)) as service, pytest.raises(TransientError, match=words):
        fetch(staging, service.url, pages=pages)
    assert nothing_is_left(staging)

    with serving(by_offset(2, 2)) as service:
        assert fetch(staging, service.url, pages=pages).num_rows == 4


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        (NumberPages(total="total"), {"total": "4"}),
        (NumberPages(total="total"), {"total": True}),
        (NumberPages(total="total"), {}),
        (NumberPages(more="more"), {"more": 1}),
        (NumberPages(more="more"), {"more": "false"}),
        (NumberPages(more="more"), {"more": None}),
    ],
)
def test_an_end_that_is_not_told_as_declared_is_refused(
    staging: Staging, pages: NumberPages, said: dict[str, Any]
) -> None:
    with (
        serving(lambda _: answered({"items": rows(0, 2), **said})) as service,
        pytest.raises(ContractError, match=r"allowed: (a whole number|true or false)"),
    ):
        fetch(staging, service.url, pages=pages)
    assert nothing_is_left(staging)


def linked(links: dict[str, str]) -> Answer:
    """Give a row per page, with a link to the next."""

    def answer(request: Request) -> Reply:
        at = request.query.get("page", "0")
        link = links.get(at)
        headers = {} if link is None else {"Link": link}
        return Reply(json.dumps(rows(int(at), 1)).encode(), headers=headers)

    return answer


@pytest.mark.parametrize("link", ["/v1/orders?page={}", "?page={}", "orders?page={}", "{url}"])
def test_links_are_followed_to_the_one_without_a_next(staging: Staging, link: str) -> None:
    def answer(request: Request) -> Reply:
        at = int(request.query.get("page", "0"))
        address = f"http://{request.headers['Host']}/v1/orders?page={at + 1}"
        following = link.replace("{url}", address).format(at + 1)
        told = f'<?page=0>; title="a, b"; rel="first prev", <{following}&q=a%20b>; rel=next'
        headers = {"Link": told if at < 2 else '<?page=0>; rel="first"'}
        return Reply(json.dumps(rows(at, 1)).encode(), headers=headers)

    with serving(answer) as service:
        table = fetch(staging, service.url, pages=LinkPages())

    assert table["id"].to_pylist() == [0, 1, 2]
    assert {request.path for request in service.requests} == {"/v1/orders"}
    assert service.requests[1].query == {"page": "1", "q": "a b"}


def test_f47_links_that_go_in_circles_are_named(staging: Staging) -> None:
    around = linked({"0": '<?page=1>; rel="next"', "1": "<?page=0>; rel=next"})
    with (
        serving(around) as service,
        pytest.raises(ContractError, match="go in circles and nothing was committed"),
    ):
        fetch(staging, service.url, pages=LinkPages())

    assert len(service.requests) == 3
    assert nothing_is_left(staging)


def test_f50_a_link_to_another_host_gets_nothing(staging: Staging) -> None:
    with serving(linked({})) as other:
        away = linked({"0": f'<{other.url}/v1/orders?page=1&key={SECRET}>; rel="next"'})
        with serving(away) as service, pytest.raises(TerminalError) as fault:
            fetch(staging, service.url, pages=LinkPages())

    assert other.requests == []
    assert "GET (a link of the service) was pointed to http://127.0.0.1" in str(fault.value)
    assert SECRET not in str(fault.value)
    assert nothing_is_left(staging)
