"""Following a run: states as they change, duplicates, and an Airflow that is away for a while."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from reporting.cli.follow import Follower
from reporting.cli.look import Look
from reporting.cli.progress import Progress
from reporting.core.airflow_api import AirflowApi, NotFoundError
from reporting.errors import TransientError

pytestmark = pytest.mark.unit

Moment = tuple[str, dict[str, str | None]]
EARLY: Moment = ("running", {"init": "running", "fetch_a": None})
FETCHING: Moment = ("running", {"init": "success", "fetch_a": "running"})
RETRYING: Moment = ("running", {"init": "success", "fetch_a": "up_for_retry"})
DELIVERING: Moment = ("running", {"init": "success", "store": "success", "deliver": "running"})
DONE: Moment = ("success", {"init": "success", "store": "success", "deliver": "success"})
QUICK = "SUCCESS (published); delivered, run ended"
DOUBLE: Moment = ("success", {"init": "skipped", "store": "skipped"})


@dataclass
class Scripted(AirflowApi):
    """An Airflow whose runs pass through given moments, one per look; None is an outage."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    runs: dict[str, list[Moment | None]] = field(default_factory=dict)
    xcoms: dict[tuple[str, str, str], Any] = field(default_factory=dict)
    looks: dict[str, Iterator[Moment | None]] = field(default_factory=dict)
    now: dict[str, str | None] = field(default_factory=dict)

    def run(self, report: str, run_id: str) -> dict[str, Any]:
        moment = next(self.looks.setdefault(run_id, iter(self.runs[run_id])))
        if moment is None:
            raise TransientError(f"{report}: away")
        state, self.now = moment
        return {"state": state}

    def task_states(self, report: str, run_id: str) -> dict[str, str | None]:  # noqa: ARG002
        return self.now

    def get(self, path: str, **query: Any) -> dict[str, Any]:  # noqa: ARG002
        _, _, _, run_id, _, task, _, key = path.split("/")
        if (run_id, task, key) not in self.xcoms:
            raise NotFoundError(path)
        return {"value": self.xcoms[run_id, task, key]}


def followed(api: Scripted, outage: float = 0.0) -> tuple[str, list[str]]:
    now, lines = [0.0], list[str]()

    def sleep(_: float) -> None:
        now[0] += outage or 1.0

    progress = Progress(lines.append, clock=lambda: now[0])
    run_id = Follower(api, progress, sleep).follow("airline", "r1")
    return run_id, [line.strip().partition(" s  ")[2] or line.strip() for line in lines]


def test_each_state_is_told_once() -> None:
    api = Scripted(runs={"r1": [EARLY, EARLY, FETCHING, FETCHING, DELIVERING, DONE]})
    assert followed(api) == (
        "r1",
        [
            "INIT",
            "FETCHING_DATA_A",
            "SUCCESS (published)",
            "delivered, run ended",
        ],
    )


def fetching(*under_way: str, await_state: str | None = None) -> Moment:
    """Return a moment in which some of three fetches still run, and b is lost once it has ended."""
    ended = {"a": "success", "b": "failed", "c": "success"}
    fetches = {f"fetch_{s}": "running" if s in under_way else ended[s] for s in ("c", "b", "a")}
    return "running", {"init": "success", **fetches, "await_sources": await_state}


def test_sources_are_told_side_by_side_and_never_back_again() -> None:
    order: list[Moment | None]
    order = [fetching("a", "b", "c"), fetching("a", "c"), fetching("c"), fetching(), DONE]
    assert followed(Scripted(runs={"r1": order}))[1] == [
        "FETCHING_DATA_A (also b, c)",
        "FETCHING_DATA_A (also c)",
        "FETCHING_DATA_C",
        "the fetches have ended; looking whether the sources are complete",
        QUICK,
    ]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (("failed", {"init": "success", "compute": "failed"}), "FAILED"),
        (("success", {"init": "success", "store": "skipped"}), "SUCCESS (nothing was published)"),
        (
            ("success", {"store": "success", "deliver": "skipped"}),
            "SUCCESS (published); run ended",
        ),
        (("failed", {"store": "success", "deliver": "failed"}), "FAILED"),
    ],
)
def test_the_end_is_told_as_it_was(end: Moment, words: str) -> None:
    assert followed(Scripted(runs={"r1": [end]}))[1] == [words]


def test_a_retry_is_told_with_its_reason() -> None:
    api = Scripted(
        runs={"r1": [RETRYING, DONE]}, xcoms={("r1", "fetch_a", "failure"): "TransientError: 503"}
    )
    assert (
        followed(api)[1][0] == "FETCHING_DATA_A; fetch_a will be tried again: TransientError: 503"
    )


def test_a_duplicate_leads_to_the_run_that_works() -> None:
    api = Scripted(
        runs={"r1": [DOUBLE], "r0": [FETCHING, DONE]},
        xcoms={("r1", "init", "duplicate_of"): "r0"},
    )
    run_id, lines = followed(api)
    assert run_id == "r0"
    assert lines[0] == "SUCCESS (a duplicate)"
    assert "run r0 works on the same period" in lines[1]
    assert lines[-2:] == ["FETCHING_DATA_A", QUICK]


def test_a_run_whose_time_was_over_in_init_is_no_duplicate() -> None:
    """Airflow skips what has not ended then; an event's run waits there for another one."""
    look = Look({"state": "failed"}, {"init": "skipped", "fetch_orders": "skipped"})

    assert not look.is_duplicate


def test_a_duplicate_of_what_was_published_before_ends_the_wait() -> None:
    """The other run may have been deleted, or be at work on something else by now."""
    known = {"duplicate_of": "r0", "published_already": {"version": 1}}
    api = Scripted(
        runs={"r1": [DOUBLE]}, xcoms={("r1", "init", key): value for key, value in known.items()}
    )
    assert followed(api) == ("r1", ["SUCCESS (a duplicate)"])


def test_a_duplicate_that_names_no_other_run_ends_the_wait() -> None:
    assert followed(Scripted(runs={"r1": [DOUBLE]}))[0] == "r1"


def test_a_short_outage_of_airflow_does_not_end_the_wait() -> None:
    run_id, lines = followed(Scripted(runs={"r1": [FETCHING, None, None, DONE]}))
    assert run_id == "r1"
    assert lines == [
        "FETCHING_DATA_A", "Airflow does not answer; the run goes on, asking again", QUICK,
    ]  # fmt: skip


def test_a_long_outage_ends_the_wait() -> None:
    with pytest.raises(TransientError, match="away"):
        followed(Scripted(runs={"r1": [FETCHING, None, None, None]}), outage=100)
