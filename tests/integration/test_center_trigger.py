"""Triggering a report on its page: checked first, made once, and led to what answers already."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from embedded_stack.stack import Stack
from tests.integration.acting_site import (
    Served,
    acting,
    place_of,
    text_of,
)
from tests.integration.center_site import OTHERS, OURS


@pytest.fixture(scope="module")
def served(stack: Stack) -> Iterator[Served]:
    with acting(stack) as found:
        yield found


def test_the_form_is_made_from_the_params(served: Served) -> None:
    page = served.get(f"report/{OURS}/trigger")
    assert page.status_code == 200
    for part in (
        'type="date"',
        '<option value="1">north</option>',
        '<option value="0" selected>all</option>',
        'value="3" autocomplete="off" inputmode="decimal"',
        'name="refresh"',
    ):
        assert part in page.text, part
    assert "Allowed: minimum 1, maximum 10." in text_of(page)


def test_a_bad_value_is_told_beside_its_field_and_what_was_typed_stays(served: Served) -> None:
    before = served.rows("SELECT count(*) FROM dag_run")
    fields = {"period": "2999-01-01", "param.top": "eleven", "param.region": "2", "nonce": "n1"}
    answer = served.post(f"report/{OURS}/trigger", **fields)
    assert answer.status_code == 422
    text = text_of(answer)
    assert "2 values are not allowed. No run was made." in text
    assert "Param 'top' is 'eleven'; allowed: type integer, minimum 1, maximum 10." in text
    assert "2999-01-01" in text
    for kept in ('value="eleven"', 'value="2999-01-01"', '<option value="2" selected>south'):
        assert kept in answer.text
    assert 'aria-invalid="true"' in answer.text
    assert served.rows("SELECT count(*) FROM dag_run") == before


def test_a_form_makes_one_run_and_others_are_led_to_it(served: Served) -> None:
    path = f"report/{OURS}/trigger"
    fields = {"period": "2024-01-05", "param.top": "5", "param.region": "0"}
    first = place_of(served.post(path, **fields, nonce="a"))
    run_id = first.rpartition("/")[2].partition("?")[0]
    assert first == f"/reports/runs/{OURS}/{run_id}?done=trigger_created"
    (conf,) = served.rows("SELECT conf FROM dag_run WHERE run_id = %s", run_id)
    assert conf == ({"period": "2024-01-05", "top": 5},)

    again = place_of(served.post(path, **fields, nonce="a"))
    assert again == f"/reports/runs/{OURS}/{run_id}?done=trigger_same_key"
    another = place_of(served.post(path, "admin", **fields, nonce="b"))
    assert another == f"/reports/runs/{OURS}/{run_id}?done=trigger_under_way"
    assert "works on the same period and params already" in text_of(
        served.get(another.removeprefix("/reports/"))
    )
    changed = place_of(served.post(path, **{**fields, "param.top": "6"}, nonce="a"))
    assert "done=trigger_created" in changed


def test_a_form_that_is_sent_twice_at_once_makes_one_run(served: Served) -> None:
    def press(_: int) -> str:
        answer = served.post(f"report/{OURS}/trigger", period="2024-01-07", nonce="twice")
        return place_of(answer).partition("?")[0]

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(press, range(4)))) == 1


def test_the_form_of_an_earlier_run_has_its_params(served: Served) -> None:
    place = place_of(
        served.post(f"report/{OURS}/trigger", period="2024-02-01", nonce="x", **{"param.top": "7"})
    )
    run_id = place.rpartition("/")[2].partition("?")[0]
    page = served.get(f"report/{OURS}/trigger?like={run_id}")
    assert 'value="7"' in page.text
    assert 'value="2024-02-01"' in page.text


def test_a_paused_report_takes_no_run(served: Served) -> None:
    served.known.execute("UPDATE dag SET is_paused = true WHERE dag_id = %s", OTHERS)
    try:
        assert "is paused" in text_of(served.get(f"report/{OTHERS}/trigger"))
        answer = served.post(f"report/{OTHERS}/trigger", period="2024-01-05")
        assert answer.status_code == 409
        assert "unpause it in Airflow" in text_of(answer)
    finally:
        served.known.execute("UPDATE dag SET is_paused = false WHERE dag_id = %s", OTHERS)
