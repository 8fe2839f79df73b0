"""An idempotency key is good for one request, and secrets count as they were sent (F8, F26)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from embedded_stack.stack import Stack
from report_center.records.asked import Asked, request_key
from report_center.records.reports import report
from reporting.definition.params import Param
from tests.integration.acting_site import PARAMS, Served, acting, place_of, serialized
from tests.integration.center_site import OTHERS, OURS

SECRET = Param("of the report", type="string", more={"format": "password"})


@pytest.fixture(scope="module")
def served(stack: Stack) -> Iterator[Served]:
    """Two reports; OTHERS has a secret param."""
    with acting(stack) as found:
        found.known.execute(
            "UPDATE serialized_dag SET data = %s::jsonb, dag_hash = 'secret' WHERE dag_id = %s",
            json.dumps(serialized(OTHERS, {**PARAMS, "token": SECRET})),
            OTHERS,
        )
        yield found


def trigger(served: Served, report: str, key: str, **body: Any) -> Any:
    path, headers = f"/reports/api/reports/{report}/runs", {"Idempotency-Key": key}
    return served.site.ask("POST", path, "op", json=body, headers=headers)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"params": {"top": 4}}, {}),
        ({"period": "2013-01-01"}, {}),
        ({}, {"period": "2013-01-02"}),
        ({"period": "2013-01-03"}, {"period": "2013-01-03", "refresh": True}),
        ({"period": "2013-01-04"}, {"period": "2013-01-04", "params": {"top": 4}}),
        ({"period": "2013-01-05", "params": {"top": 4}}, {"period": "2013-01-05"}),
    ],
)
def test_f26_a_key_that_is_sent_with_something_else_is_refused(
    served: Served, first: dict[str, Any], second: dict[str, Any]
) -> None:
    key = json.dumps([first, second])
    made = trigger(served, OURS, key, **first)
    assert made.status_code == 201, made.text
    again = trigger(served, OURS, key, **first)
    assert (again.status_code, again.json()["answer"]) == (200, "same_key")
    assert again.json()["run"]["run_id"] == made.json()["run"]["run_id"]
    refused = trigger(served, OURS, key, **second)
    assert refused.status_code == 422
    assert "Idempotency-Key has made run" in refused.json()["detail"]


def test_f26_a_key_whose_run_has_published_gives_the_release_too(served: Served) -> None:
    made = trigger(served, OURS, "done", period="2013-06-01").json()["run"]["run_id"]
    release_id = published(served, "2013-06-01", made)
    task = "UPDATE task_instance SET state = 'success' WHERE run_id = %s"
    served.known.execute(task, made)
    served.known.execute("UPDATE dag_run SET state = 'success' WHERE run_id = %s", made)
    again = trigger(served, OURS, "done", period="2013-06-01").json()
    assert (again["answer"], again["run"]["version"]) == ("same_key", 1)
    assert again["release_id"] == release_id


def test_f26_of_different_requests_that_come_at_once_with_a_key_one_is_made(
    served: Served,
) -> None:
    def send(day: int) -> int:
        return int(trigger(served, OURS, "at once", period=f"2013-02-0{day}").status_code)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(send, range(1, 5))) == [201, 422, 422, 422]


def test_f26_a_request_with_a_secret_is_known_again(served: Served) -> None:
    body = {"period": "2013-03-01", "params": {"token": "S3CR3T"}}
    made = trigger(served, OTHERS, "a", **body)
    assert made.status_code == 201, made.text
    again = trigger(served, OTHERS, "a", **body)
    assert (again.status_code, again.json()["answer"]) == (200, "same_key")
    same = trigger(served, OTHERS, "b", **body)
    assert (same.status_code, same.json()["answer"]) == (200, "under_way")
    other = trigger(served, OTHERS, "c", period="2013-03-01", params={"token": "another"})
    assert other.status_code == 201
    assert trigger(served, OTHERS, "a", period="2013-03-01").status_code == 422
    run_id = made.json()["run"]["run_id"]
    told = (
        made.text,
        again.text,
        served.site.ask("GET", f"/reports/api/reports/{OTHERS}/runs/{run_id}", "op").text,
        served.get(f"runs/{OTHERS}/{run_id}").text,
        served.get(f"report/{OTHERS}/trigger?like={run_id}").text,
    )
    assert not [text for text in told if "S3CR3T" in text], "F8"


def test_f26_a_secret_that_is_left_to_its_default_is_for_init_to_know(served: Served) -> None:
    assert trigger(served, OTHERS, "d", period="2013-03-02").status_code == 201
    assert trigger(served, OTHERS, "e", period="2013-03-02").status_code == 201


def test_f26_a_form_with_a_secret_that_is_pressed_twice_makes_one_run(served: Served) -> None:
    fields = {"period": "2013-03-03", "param.token": "S3CR3T", "nonce": "twice"}
    first = place_of(served.post(f"report/{OTHERS}/trigger", **fields))
    assert first.endswith("done=trigger_created")
    second = place_of(served.post(f"report/{OTHERS}/trigger", **fields))
    assert second == first.replace("created", "same_key")


def test_f26_a_duplicate_whose_publishing_run_was_deleted_has_the_release(served: Served) -> None:
    told = {"version": 1, "run_id": "gone", "published_at": "2013-04-02T00:00:00+00:00"}
    made = trigger(served, OURS, "dup", period="2013-04-01").json()["run"]["run_id"]
    (number,) = served.rows("SELECT id FROM dag_run WHERE run_id = %s", made)[0]
    for key, value in (
        ("published_already", {**told, "missing": []}),
        ("duplicate_of", "gone"),
    ):
        served.known.execute(
            "INSERT INTO xcom (dag_run_id, task_id, map_index, key, dag_id, run_id, value, "
            "timestamp) VALUES (%s, 'init', -1, %s, %s, %s, %s::jsonb, now())",
            *(number, key, OURS, made, json.dumps(value)),
        )
    served.known.execute(
        "UPDATE task_instance SET state = 'skipped' WHERE run_id = %s AND task_id = 'init'", made
    )
    served.known.execute("UPDATE dag_run SET state = 'success' WHERE run_id = %s", made)
    release_id = published(served, "2013-04-01")
    found = served.site.ask("GET", f"/reports/api/reports/{OURS}/runs/{made}/result", "op").json()
    assert (found["is_over"], found["asked_for"]) == (True, made)
    assert found["release"]["release_id"] == release_id
    assert "published already as version 1" in found["answered_by"]


def published(served: Served, period: str, run_id: str = "gone") -> int:
    """Publish a period with the defaults of all params; return the release."""
    with served.known.looking() as (session, _):
        known = report(session, OURS)
    assert known is not None
    key = request_key(Asked(period, {}, refresh=False), known.definition, OURS, datetime.now(UTC))
    ((release_id,),) = served.in_warehouse(
        "INSERT INTO reporting.release (report, period, request_key, version, params, is_default, "
        "run_id, clear_number, started, fingerprint, row_counts, sources, missing, files) VALUES "
        "(%s, %s, %s, 1, '{}', true, %s, 0, '', 'f', '{}', '{}', '{}', '[]') "
        "RETURNING release_id",
        *(OURS, period, key, run_id),
    )
    served.in_warehouse(
        "INSERT INTO reporting.current_release VALUES (%s, %s, %s) RETURNING 1",
        *(OURS, key, release_id),
    )
    return int(release_id)
