"""The weather service: whole pages, exact numbers, clear refusals."""

import asyncio
from typing import Any

import httpx
import pytest

from sample_services import flight_data
from sample_services.observations import BadCursorError, Observations, decode_cursor, encode_cursor
from sample_services.weather import create_app

pytestmark = pytest.mark.integration
YEAR = {"from": "2013-01-01T00:00:00Z", "to": "2014-01-01T00:00:00Z"}


class Client:
    """Asks the application in this process, without a socket."""

    def __init__(self) -> None:
        self._app = create_app(Observations.read(flight_data.weather()))

    def get(self, **parameters: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://weather") as client:
                return await client.get("/observations", params=parameters)

        return asyncio.run(ask())


@pytest.fixture(scope="module")
def client() -> Client:
    return Client()


def read_all(client: Client, **parameters: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    while True:
        page = client.get(**parameters).json()
        items += page["items"]
        if page["next"] is None:
            return items
        parameters["cursor"] = page["next"]


def test_pages_of_any_size_give_every_row_once_and_in_order(client: Client) -> None:
    items = read_all(client, **YEAR, limit=499)
    keys = [(item["time_hour"], item["origin"]) for item in items]

    assert len(items) == 26_115
    assert keys == sorted(set(keys))


def test_the_start_is_in_and_the_end_is_out(client: Client) -> None:
    bounds = {"from": "2013-07-04T00:00:00Z", "to": "2013-07-04T02:00:00Z"}
    items = read_all(client, **bounds)

    assert [item["time_hour"][11:13] for item in items] == ["00"] * 3 + ["01"] * 3
    assert [item["origin"] for item in items] == ["EWR", "JFK", "LGA"] * 2


def test_an_offset_means_the_same_instant(client: Client) -> None:
    utc = {"from": "2013-07-04T04:00:00Z", "to": "2013-07-04T05:00:00Z"}
    local = {"from": "2013-07-04T00:00:00-04:00", "to": "2013-07-04T01:00:00-04:00"}

    assert read_all(client, **local) == read_all(client, **utc)


def test_a_fraction_of_a_second_leaves_the_hour_before_out(client: Client) -> None:
    bounds = {"from": "2013-07-04T00:00:00.5Z", "to": "2013-07-04T01:00:00.5Z"}

    assert {item["time_hour"][11:13] for item in read_all(client, **bounds)} == {"01"}


def test_numbers_are_exact_and_missing_ones_are_null(client: Client) -> None:
    bounds = {"from": "2013-01-01T06:00:00Z", "to": "2013-01-01T07:00:00Z"}

    assert read_all(client, **bounds)[0] == {
        "origin": "EWR", "time_hour": "2013-01-01T06:00:00Z", "temp": 39.02, "dewp": 26.06,
        "humid": 59.37, "wind_dir": 270.0, "wind_speed": 10.357019999999999, "wind_gust": None,
        "precip": 0.0, "pressure": 1012.0, "visib": 10.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"from": "yesterday"}, "from"),
        ({"from": "2013-07-04T00:00:00"}, "timezone"),
        ({"from": "2014-07-04T00:00:00Z"}, "after"),
        ({"limit": "501"}, "500"),
        ({"limit": "0"}, "limit"),
        ({"cursor": "?"}, "cursor"),
        ({"cursor": "aGVsbG8="}, "cursor"),
    ],
)
def test_bad_input_is_refused_by_name(client: Client, wrong: dict[str, str], word: str) -> None:
    answer = client.get(**{**YEAR, **wrong})

    assert answer.status_code == 422
    assert word in answer.text


def test_a_cursor_comes_back_as_it_was() -> None:
    key = ("2013-07-04T00:00:00Z", "EWR")

    assert decode_cursor(encode_cursor(key)) == key
    with pytest.raises(BadCursorError):
        decode_cursor("")
