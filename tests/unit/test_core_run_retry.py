"""Whether a failed run is run again: what speaks against it, and how often it is at most (R14)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.run_retry import (
    OUT_OF_TIME,
    PATIENCE,
    FailedLife,
    Plan,
    Policy,
    causes_of,
    is_too_late,
    plan_of,
    reason_against,
)
from reporting.core.states import BROKEN

pytestmark = pytest.mark.unit

NOW = datetime(2024, 5, 2, 6, tzinfo=UTC)
PASSING = ("TransientError", "ReportError")
LASTING = ("ContractError", "TerminalError", "ReportError")
POLICY = Policy(times=2, after=timedelta(minutes=30), on="TransientError")
STEPS = ["init", "fetch_a", "fetch_b", "await_sources", "compute", "store", "deliver", "compensate"]
ALL_STATES = st.sampled_from(["success", "failed", "upstream_failed", "skipped", None])
CLASSES = st.sampled_from([PASSING, LASTING, ()])
LIVES = st.builds(
    FailedLife,
    st.dictionaries(st.sampled_from(STEPS[:6]), CLASSES, max_size=3),
    st.integers(0, 4),
    st.none() | st.just("its figures were published"),
)


@given(LIVES, st.integers(1, 3))
def test_a_run_is_run_again_only_if_all_allows_it(life: FailedLife, times: int) -> None:
    plan = plan_of(Policy(times, timedelta(0), "TransientError"), life, NOW)

    is_allowed = (
        life.against is None
        and bool(life.causes)
        and all("TransientError" in classes for classes in life.causes.values())
        and life.goes < times
    )
    assert (plan.given_up is None) is is_allowed


@given(st.integers(1, 10))
def test_a_run_that_always_fails_is_run_again_as_often_as_its_policy_says(times: int) -> None:
    goes = 0
    policy = Policy(times, timedelta(0), "TransientError")
    while plan_of(policy, FailedLife({"fetch_a": PASSING}, goes), NOW).given_up is None:
        goes += 1

    assert goes == times


@pytest.mark.parametrize(
    ("life", "why"),
    [
        (FailedLife({}, 0), OUT_OF_TIME),
        (FailedLife({"compute": ()}, 0), "compute failed with no error of its own"),
        (FailedLife({"store": LASTING}, 0), "store failed with ContractError, not TransientError"),
        (FailedLife({"fetch_a": PASSING, "fetch_b": LASTING}, 0), "fetch_b failed with Contract"),
        (FailedLife({"fetch_a": PASSING}, 2), "used up"),
        (FailedLife({"fetch_a": PASSING}, 0, "it is published"), "it is published"),
    ],
)
def test_it_says_what_speaks_against_it(life: FailedLife, why: str) -> None:
    assert why in str(reason_against(POLICY, life))


@given(st.dictionaries(st.sampled_from(STEPS), ALL_STATES), st.sets(st.sampled_from("ab")))
def test_what_broke_a_run_is_a_failed_step_of_its_own(
    states: dict[str, str | None], optional: set[str]
) -> None:
    causes = causes_of(states, optional)

    assert all(states[task] in BROKEN for task in causes)
    assert not {f"fetch_{source}" for source in optional} & set(causes)
    assert not {"compensate", "deliver"} & set(causes)
    fetches = [task for task in causes if task.startswith("fetch_")]
    assert not fetches or fetches == causes


def test_a_lost_source_is_the_cause_and_not_who_waits_for_it() -> None:
    states = {"init": "success", "fetch_a": "failed", "await_sources": "failed"}

    assert causes_of(states) == ["fetch_a"]
    assert causes_of(states, optional=["a"]) == ["await_sources"]


def test_a_plan_is_told_with_its_count_and_its_time() -> None:
    plan = plan_of(POLICY, FailedLife({"fetch_a": PASSING}, 1), NOW)

    assert plan.text == "2 of 2 times, next at 2024-05-02 06:30 UTC"
    assert Plan(2, 2, NOW, "used up").text == "2 of 2 times"
    assert Plan(0, 2, NOW, "a person").text == "0 of 2 times, not once more: a person"


def test_a_run_that_cannot_be_started_is_waited_for_an_hour() -> None:
    plan = plan_of(POLICY, FailedLife({"fetch_a": PASSING}, 0), NOW)

    assert not is_too_late(plan, plan.due_at + PATIENCE)
    assert is_too_late(plan, plan.due_at + PATIENCE + timedelta(seconds=1))
