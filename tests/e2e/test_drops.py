"""Drops in S3 on a live Airflow: waited for without a slot, and a wrong login is no absence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.e2e.live import Live


def put(live: Live, report: str, period: str, name: str, body: bytes) -> None:
    live.s3.put_object(Bucket="landing", Key=f"{report}/{period}/{name}", Body=body)


def published(live: Live, report: str, period: str) -> list[tuple[Any, ...]]:
    return live.rows(
        f"SELECT id, name FROM results.{report}__orders WHERE period = %s ORDER BY id", period
    )


def waits(live: Live, report: str, run_id: str) -> list[Path]:
    """Return the logs of the triggers that waited for the drop."""
    folder = live.home / f"log/tasks/dag_id={report}/run_id={run_id}/task_id=fetch_orders"
    return list(folder.glob("*.trigger.*"))


def missing(live: Live, run_id: str) -> dict[str, str]:
    found: dict[str, str]
    ((found,),) = live.rows("SELECT missing FROM reporting.release WHERE run_id = %s", run_id)
    return found


def test_a_drop_is_waited_for_without_a_slot_and_read_when_its_marker_is_there(live: Live) -> None:
    day = "2013-09-01"
    run_id = live.trigger("dropped", period=day)
    live.await_task("dropped", run_id, "fetch_orders", "deferred")
    put(live, "dropped", day, "b.csv", b"id,name\n2,b\n")
    put(live, "dropped", day, "a.csv", b"id,name\n1,a\n")
    live.await_task("dropped", run_id, "fetch_orders", "deferred")
    put(live, "dropped", day, "_SUCCESS", b"")

    assert live.ended("dropped", run_id) == "success"
    assert published(live, "dropped", day) == [(1, "a"), (2, "b")]
    assert len(waits(live, "dropped", run_id)) == 1
    ((sources,),) = live.rows("SELECT sources FROM reporting.release WHERE run_id = %s", run_id)
    assert [read["key"] for read in sources["orders"]["read"]] == [
        f"dropped/{day}/a.csv",
        f"dropped/{day}/b.csv",
    ]


def test_a_drop_that_is_there_is_read_without_a_detour(live: Live) -> None:
    day = "2013-09-02"
    put(live, "dropped", day, "a.csv", b"id,name\n1,a\n")
    put(live, "dropped", day, "_SUCCESS", b"")

    run_id = live.run("dropped", period=day)

    assert published(live, "dropped", day) == [(1, "a")]
    assert waits(live, "dropped", run_id) == []


def test_an_optional_drop_that_does_not_come_is_left_out_and_named(live: Live) -> None:
    run_id = live.run("not_dropped", period="2013-09-03")

    said = missing(live, run_id)["orders"]
    assert "marker landing/not_dropped/2013-09-03/_SUCCESS does not exist (yet)" in said
    assert "It was waited for 0:00:03" in said
    assert live.task("not_dropped", run_id, "fetch_orders")["try_number"] == 1


WORDS = "the store refuses connection 'landing_locked': 403 InvalidAccessKeyId"


def test_f73_a_wrong_login_fails_the_run_at_once_and_is_told(live: Live) -> None:
    run_id = live.trigger("locked_out", period="2013-09-04")

    assert live.ended("locked_out", run_id) == "failed"
    assert live.task("locked_out", run_id, "fetch_orders")["try_number"] == 1
    (told,) = live.mails(run_id)
    assert WORDS in told


def test_f73_a_wrong_login_of_an_optional_drop_is_red_and_told(live: Live) -> None:
    run_id = live.run("left_out", period="2013-09-04")

    fetch = live.task("left_out", run_id, "fetch_orders")
    assert (fetch["state"], fetch["try_number"]) == ("failed", 1)
    assert WORDS in missing(live, run_id)["orders"]
    (told,) = live.mails("[incomplete] Dropping left_out, 2013-09-04")
    assert WORDS in told
