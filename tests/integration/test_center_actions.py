"""Runs run again or cancelled, on pages and over the API; who may press, and from where (F66)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from embedded_stack.stack import Stack
from tests.integration.acting_site import (
    FAILED,
    LOG,
    OTHER_FAILED,
    PUBLISHED,
    WORKING,
    Served,
    acting,
    hidden_in,
    letters,
    place_of,
    text_of,
)
from tests.integration.center_site import OTHERS, OURS


@pytest.fixture(scope="module")
def served(stack: Stack) -> Iterator[Served]:
    with acting(stack) as found:
        yield found


def test_the_failed_part_is_listed_by_airflow_and_run_again_once(served: Served) -> None:
    place = f"runs/{OURS}/{FAILED}"
    asked = served.get(f"{place}/rerun?what=failed")
    assert asked.status_code == 200, text_of(asked)
    assert "in the same run: compute, store, deliver, compensate." in text_of(asked)
    assert "kept as they are: init, fetch_orders, await_sources." in text_of(asked)
    assert served.run(FAILED) == ("failed", 0)

    fields = hidden_in(asked)
    assert fields == {"what": "failed", "seen": "0"}
    done = place_of(served.post(f"{place}/rerun", **fields))
    assert done == f"/reports/{place}?done=rerun_failed"
    assert served.run(FAILED) == ("queued", 1)
    assert ("op", "post_clear_task_instances", FAILED) in served.rows(LOG, OURS)

    second = served.post(f"{place}/rerun", "admin", **fields)
    assert second.status_code == 409
    assert "is under way" in text_of(second)
    assert served.run(FAILED) == ("queued", 1)


def test_of_many_who_press_at_once_one_runs_it_again(served: Served) -> None:
    place = f"runs/{OURS}/{OTHER_FAILED}/rerun"

    def press(number: int) -> int:
        user = ("op", "admin", "user")[number % 3]
        return int(served.post(place, user, what="all", seen="0").status_code)

    with ThreadPoolExecutor(6) as pool:
        statuses = sorted(pool.map(press, range(6)))
    assert statuses == [303, 409, 409, 409, 409, 409]
    assert served.run(OTHER_FAILED) == ("queued", 1)


def test_a_run_that_somebody_ran_again_meanwhile_is_left_alone(served: Served) -> None:
    answer = served.send(f"reports/{OURS}/runs/{PUBLISHED}/rerun", part="all", seen=4)
    assert answer.status_code == 409
    assert "was run again meanwhile" in answer.json()["detail"]


def test_the_api_runs_again_what_the_page_does(served: Served) -> None:
    path = f"reports/{OURS}/runs/run_30/rerun"
    dry = served.send(path, part="failed", dry_run=True).json()
    assert dry["tasks"] == ["compute", "store", "deliver", "compensate"]
    assert (dry["is_done"], served.run("run_30")) == (False, ("failed", 0))
    done = served.send(path, part="failed", seen=0).json()
    assert (done["tasks"], done["is_done"]) == (dry["tasks"], True)
    assert served.run("run_30") == ("queued", 1)
    refused = served.send(path)
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.status_code == 409
    nothing_failed = served.send(f"reports/{OURS}/runs/{PUBLISHED}/rerun")
    assert "no failed part" in nothing_failed.json()["detail"]


def test_a_run_is_cancelled_once(served: Served) -> None:
    place = f"runs/{OTHERS}/{WORKING}"
    asked = served.get(f"{place}/cancel")
    assert "report_janitor, within about five minutes" in text_of(asked)
    assert served.run(WORKING)[0] == "running"
    done = place_of(served.post(f"{place}/cancel"))
    assert done == f"/reports/{place}?done=cancel"
    assert served.run(WORKING)[0] == "failed"
    assert ("op", "patch_dag_run", WORKING) in served.rows(LOG, OTHERS)


def test_a_run_that_has_ended_is_not_cancelled(served: Served) -> None:
    for answer in (
        served.get(f"runs/{OURS}/{PUBLISHED}/cancel"),
        served.post(f"runs/{OURS}/{PUBLISHED}/cancel"),
        served.send(f"reports/{OURS}/runs/{PUBLISHED}/cancel"),
    ):
        assert answer.status_code == 409
        assert "has ended, SUCCESS" in text_of(answer)
    assert served.run(PUBLISHED) == ("success", 0)


def test_the_api_cancels_what_the_page_does(served: Served) -> None:
    answer = served.send(f"reports/{OTHERS}/runs/run_51/cancel")
    assert answer.status_code == 200, answer.text
    assert served.run("run_51")[0] == "failed"


CHANGES = (
    f"report/{OURS}/trigger",
    f"runs/{OURS}/run_40/rerun",
    f"runs/{OURS}/run_40/cancel",
    "releases/1/roll-back",
    "releases/1/withdraw",
    "dead-letters/several",
)


@pytest.mark.parametrize("path", CHANGES)
def test_f66_a_page_of_another_site_changes_nothing(served: Served, path: str) -> None:
    cookie = {"Cookie": f"_token={served.site.tokens['op']}"}
    for origin in ({"sec-fetch-site": "cross-site"}, {"origin": "http://evil.example"}, {}):
        answer = served.site.ask(
            "POST", f"/reports/{path}", None, headers={**cookie, **origin}, data={"number": "1"}
        )
        assert answer.status_code == 403
    assert served.run("run_40") == ("failed", 0)


def test_f66_our_own_page_changes_something_by_the_cookie(served: Served) -> None:
    headers = {
        "Cookie": f"_token={served.site.tokens['op']}",
        "sec-fetch-site": "same-origin",
    }
    answer = served.site.ask(
        "POST", f"/reports/runs/{OURS}/run_50/rerun", None, headers=headers, data={"what": "failed"}
    )
    assert place_of(answer).endswith("done=rerun_failed")
    assert served.run("run_50") == ("queued", 1)


def test_f66_buttons_are_there_only_for_who_may_press_them(served: Served) -> None:
    letters(served, 1)
    places = (
        f"report/{OURS}",
        f"runs/{OURS}/run_40",
        f"runs/{OURS}/{PUBLISHED}",
        "dead-letters",
    )
    marks = re.compile(r"/trigger|/rerun|/roll-back|/withdraw|name=\"action\"")
    for place in places:
        assert marks.search(served.get(place, "op").text), place
        assert not marks.search(served.get(place, "viewer").text), place


def test_what_was_done_is_said_and_nothing_else_can_be_made_to_stand_there(served: Served) -> None:
    assert "The run was made." in served.get("runs?done=trigger_created").text
    for other in ("<b>x</b>", "x", "", "trigger_created.x"):
        page = served.get(f"runs?done={other}")
        assert page.status_code == 200
        assert "note good" not in page.text
