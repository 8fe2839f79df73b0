"""What came of a run, in words and as an exit code."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from reporting.cli import status
from reporting.cli.main import main
from reporting.cli.run_text import outcome_lines, run_json, run_lines
from reporting.cli.run_view import RunView, TaskView, read_run
from reporting.cli.verdict import exit_code_of, failure_of, release_of
from reporting.core.airflow_api import AirflowApi
from reporting.core.already_published import AlreadyPublished, already_published

pytestmark = pytest.mark.unit

RELEASE: dict[str, Any] = {
    "release_id": 7,
    "version": 2,
    "rows": {"carrier_day": 14},
    "files": ["airline/2013-01-01/a.csv"],
    "missing": {"weather": "did not answer"},
    "quarantined": {"orders": 2},
}
UNDONE = {"store": "1 unpublished file removed", "init": "the period is free for another run"}


def task(
    name: str, state: str | None, result: object = None, failure: str | None = None
) -> TaskView:
    return TaskView(name, state, 1 if state else 0, 4, 1.5, result, failure)


def view(state: str, *tasks: TaskView, is_over: bool = True) -> RunView:
    return RunView(
        report="airline", title="Airline", run_id="manual__1", url="http://a/runs/1", state=state,
        is_over=is_over, period="2013-01-01", params={"carrier": "UA"}, by="ann, over REST",
        started="2026-01-01T00:00:00Z", seconds=12.0, tasks=tasks, duplicate_of=None,
    )  # fmt: skip


PUBLISHED = view("SUCCESS", task("init", "success"), task("store", "success", RELEASE))
BROKEN = view(
    "FAILED",
    task("init", "success"),
    task("compute", "failed", failure="ContractError: key twice"),
    task("store", "upstream_failed"),
    task("compensate", "success", UNDONE),
)
REFUSED = view("FAILED", task("init", "failed", failure="InputError: Param 'x' is unknown"))


def test_only_a_run_that_published_and_ended_well_is_zero() -> None:
    assert exit_code_of(PUBLISHED) == 0
    assert exit_code_of(BROKEN) == 1


def test_a_failed_run_shows_when_it_is_run_again() -> None:
    waiting = replace(BROKEN, again="1 of 2 times, next at 2013-01-02 10:30 UTC")

    assert "Run again: 1 of 2 times, next at 2013-01-02 10:30 UTC" in run_lines(waiting)
    assert not any("Run again" in line for line in run_lines(BROKEN))


def test_refused_params_are_two_and_other_failures_of_init_one() -> None:
    assert exit_code_of(REFUSED) == 2
    other = view("FAILED", task("init", "failed", failure="TransientError: no database"))
    assert exit_code_of(other) == 1


def test_an_input_error_of_a_later_step_is_a_failed_run() -> None:
    late = view(
        "FAILED", task("init", "success"), task("compute", "failed", failure="InputError: x")
    )
    assert exit_code_of(late) == 1


def test_a_green_run_that_published_nothing_is_no_success() -> None:
    marked = view("SUCCESS", task("init", "success"), task("store", "skipped"))
    assert exit_code_of(marked) == 1
    assert "green although nothing was published" in outcome_lines(marked)[-1]


def test_published_but_not_delivered_is_one_and_shows_both() -> None:
    late = view(
        "FAILED", task("store", "success", RELEASE), task("deliver", "failed", failure="no mail")
    )
    text = "\n".join(outcome_lines(late))
    assert exit_code_of(late) == 1
    assert "version 2" in text
    assert "Step: deliver" in text
    assert "the figures were published before and stay" in text


def test_a_release_is_only_what_a_green_store_left() -> None:
    assert release_of(view("FAILED", task("store", "failed", RELEASE))) is None
    release = release_of(PUBLISHED)
    assert release is not None
    assert (release.version, release.files) == (2, ("airline/2013-01-01/a.csv",))


def test_failure_names_step_reason_and_what_was_undone() -> None:
    failure = failure_of(BROKEN)
    assert (failure.step, failure.reason) == ("compute", "ContractError: key twice")
    assert [entry.step for entry in failure.undone] == ["store", "init"]


def test_undone_steps_stand_as_in_the_alert_though_airflow_sorts_them() -> None:
    sorted_by_name = dict(sorted({**UNDONE, "fetch": "kept"}.items()))
    told = failure_of(view("FAILED", task("compensate", "success", sorted_by_name)))
    assert [entry.step for entry in told.undone] == ["store", "fetch", "init"]


def test_a_run_that_stopped_half_way_says_which_step_did_not_run() -> None:
    left_out = view("FAILED", task("compute", "success"), task("store", "upstream_failed"))
    text = "\n".join(outcome_lines(left_out))
    assert "store did not run" in text
    assert "clear airline manual__1 store" in text


def test_a_task_killed_without_a_reason_still_has_words() -> None:
    killed = view("FAILED", task("init", "success"), task("compute", "failed"))
    assert "killed" in "\n".join(outcome_lines(killed))


def test_status_shows_head_tasks_and_release() -> None:
    text = "\n".join(run_lines(PUBLISHED))
    facts = ["Airline (airline)", "manual__1", "carrier=UA", "ann, over REST", "1 of 4"]
    outcome = ["version 2 (release 7): carrier_day 14 rows", "a.csv", "weather: did not answer"]
    for part in facts + outcome:
        assert part in text


def test_status_does_not_repeat_its_head_in_the_failure() -> None:
    text = "\n".join(run_lines(BROKEN))
    assert text.count("Run: ") == text.count("Period: ") == text.count("Open: ") == 1


def test_a_duplicate_points_to_the_other_run() -> None:
    double = replace(view("SUCCESS", task("init", "skipped")), duplicate_of="manual__0")
    assert outcome_lines(double) == ["", "Duplicate of:  manual__0"]
    assert json.loads(run_json(double))["failure"] is None


RELEASED = AlreadyPublished(2, "manual__0", "2026-01-02T03:04:05+01:00", ("weather",))
ALREADY = replace(
    view("SUCCESS", task("init", "skipped")), duplicate_of="manual__0", already=RELEASED
)


def test_a_duplicate_of_what_was_published_says_how_to_get_a_new_version() -> None:
    assert outcome_lines(ALREADY) == [
        "",
        "Duplicate of:  manual__0",
        (
            "It was published already as version 2 (incomplete, without weather) by run manual__0 "
            "on 2026-01-02 02:04 UTC; to make a new version trigger with `refresh` true "
            "(reports trigger … --refresh), or clear that run."
        ),
    ]
    told = json.loads(run_json(ALREADY))["already"]
    assert already_published(told) == already_published(RELEASED.to_json()) == RELEASED
    assert RELEASED.to_json()["missing"] == ["weather"]  # Airflow shows a tuple as one text


def retrying(next_try: tuple[str, str] | None) -> list[str]:
    fetch = TaskView("fetch_a", "up_for_retry", 1, 4, 0.2, None, "TransientError: no", next_try)
    return run_lines(view("FETCHING_DATA_A", task("init", "success"), fetch, is_over=False))


def test_a_task_that_failed_says_when_which_try_comes_next() -> None:
    between = ("2026-01-31T06:00:20+00:00", "2026-01-31T06:00:40+00:00")

    assert retrying(between)[-1] == (
        "Next try:      fetch_a, try 2 of 4, between 2026-01-31 06:00:20 UTC "
        "and 2026-01-31 06:00:40 UTC"
    )
    assert retrying(between[:1] * 2)[-1].endswith("try 2 of 4, at 2026-01-31 06:00:20 UTC")
    assert retrying(None)[-1].endswith("try 2 of 4, at a time that is not known")
    assert "Next try" not in "\n".join(run_lines(PUBLISHED))


@dataclass
class OneTask(AirflowApi):
    """An Airflow with a run whose fetch waits for its second try."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    ended: str | None = "2026-01-31T06:00:00.5Z"
    wait: list[float] | None = field(default_factory=lambda: [20.0, 40.0])

    def run(self, report: str, run_id: str) -> dict[str, Any]:
        return {
            "dag_id": report, "dag_run_id": run_id, "dag_display_name": "Airline",
            "state": "running", "conf": {}, "triggered_by": "rest_api", "start_date": None,
        }  # fmt: skip

    def pages(self, path: str, items: str, **_: Any) -> Iterator[dict[str, Any]]:
        assert path.endswith(items.replace("task_i", "taskI"))
        yield {
            "dag_id": "airline", "dag_run_id": "manual__1", "task_id": "fetch_a", "map_index": -1,
            "state": "up_for_retry", "try_number": 1, "max_tries": 3, "duration": 0.2,
            "end_date": self.ended,
        }  # fmt: skip

    def xcom(self, report: str, run_id: str, task: str, key: str = "return_value") -> Any:
        assert (report, run_id, task) == ("airline", "manual__1", "fetch_a")
        return {"failure": "TransientError: no", "retry_wait": self.wait}[key]


def test_the_next_try_is_reckoned_from_the_end_of_the_last_one() -> None:
    (fetch,) = read_run(OneTask(), "airline", "manual__1").tasks

    assert fetch.next_try == (
        "2026-01-31T06:00:20.500000+00:00",
        "2026-01-31T06:00:40.500000+00:00",
    )


@pytest.mark.parametrize("api", [OneTask(ended=None), OneTask(wait=None)])
def test_a_task_that_left_no_word_has_no_known_next_try(api: OneTask) -> None:
    (fetch,) = read_run(api, "airline", "manual__1").tasks

    assert (fetch.next_try, fetch.failure) == (None, "TransientError: no")


def test_one_row_that_did_not_fit_is_one_row() -> None:
    one = {**RELEASE, "quarantined": {"orders": 1}}
    lines = outcome_lines(view("SUCCESS", task("store", "success", one)))
    assert lines[-1] == "Without:       1 row of orders that did not fit"


def test_a_run_under_way_has_no_outcome() -> None:
    assert outcome_lines(view("CALCULATING", task("init", "success"), is_over=False)) == []


def test_json_holds_release_and_failure() -> None:
    assert json.loads(run_json(PUBLISHED))["release"]["version"] == 2
    assert json.loads(run_json(BROKEN))["failure"]["step"] == "compute"


class Others(AirflowApi):
    """An Airflow that is asked only for the run that works instead."""


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        (PUBLISHED, 0),
        (ALREADY, 0),
        (BROKEN, 1),
        (REFUSED, 2),
        (view("CALCULATING", is_over=False), 3),
    ],
)
def test_status_can_end_with_how_the_run_went(
    shown: RunView, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = Others("http://airflow", "ann", "-")
    double = replace(view("SUCCESS", task("init", "skipped")), duplicate_of="manual__0")
    monkeypatch.setattr(status, "read_run", lambda *_: shown)
    assert status.code_of(api, shown) == code
    assert status.code_of(api, double) == code


@pytest.mark.parametrize(("flags", "code"), [([], 0), (["--exit-code"], 1)])
def test_status_that_was_answered_is_zero_unless_asked(
    flags: list[str], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("airflow_of", "known_run"):
        monkeypatch.setattr(status, name, lambda *_: None)
    monkeypatch.setattr(status, "read_run", lambda *_: BROKEN)
    assert main(["status", "manual__1", "--report", "airline", *flags]) == code
