"""What people read of a run that has failed: the alert, and how to run it again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reporting.core.alert_text import BY_HAND, KILLED, STOPPED, Failure
from reporting.core.rerun_text import to_clear
from reporting.core.warehouse.ledger import NOTHING_LEFT, Entry

pytestmark = pytest.mark.unit


def a_failure(
    step: str | None = "compute",
    reason: str | None = "ContractError: no",
    undone: tuple[Entry, ...] = (Entry("store", "2 files removed", is_done=True),),
    *,
    published: bool = False,
    more: tuple[str, ...] = (),
) -> Failure:
    url = "http://airflow/dags/sales/runs/manual__1"
    return Failure(
        "Sales", "sales", "2024-05-01", "manual__1", step, reason, undone, published, url, more
    )


def test_an_alert_says_all_that_is_needed() -> None:
    """R27: report, period, step, reason, what was undone, how to run it again."""
    failure = a_failure(more=("deliver",))

    assert failure.subject == "[failed] Sales, 2024-05-01: compute"
    for word in (
        "Sales (sales)", "2024-05-01", "manual__1", "Step: compute", "ContractError: no",
        "store: 2 files removed", "reports clear sales manual__1 compute\n", "downstream tasks",
        "Also failed: deliver",
        "http://airflow/dags/sales/runs/manual__1",
    ):  # fmt: skip
        assert word in failure.text


def test_an_alert_says_how_often_the_run_was_run_again() -> None:
    assert "Run again" not in a_failure().text
    assert "\nRun again: 2 of 2 times\n" in replace(a_failure(), again="2 of 2 times").text


def test_f5_a_step_that_left_no_words_was_killed() -> None:
    assert KILLED in a_failure(reason=None).text
    assert "memory" in KILLED


def test_a_run_without_a_failed_task_was_stopped() -> None:
    failure = a_failure(step=None, reason=None)

    assert STOPPED in failure.text
    assert "reports trigger sales --period 2024-05-01 --refresh" in failure.text
    assert failure.subject.endswith(": run")
    assert "--period" not in replace(failure, period="unknown").text


DONE = dict.fromkeys(["init", "fetch_a", "fetch_b", "await_sources", "compute", "store"], "success")


@pytest.mark.parametrize(
    ("states", "tasks"),
    [
        ({"store": "upstream_failed"}, ["store"]),
        ({"compute": "skipped", "store": "skipped"}, ["compute"]),
        ({"fetch_b": "skipped", "await_sources": None, "compute": None}, ["fetch_b"]),
        ({"fetch_a": None, "fetch_b": None, "await_sources": None}, ["fetch_a", "fetch_b"]),
        # the run went on without it
        ({"fetch_b": "failed", "store": "upstream_failed"}, ["store"]),
    ],
)
def test_a_run_that_stopped_half_way_names_what_did_not_run(
    states: dict[str, str | None], tasks: list[str]
) -> None:
    text = replace(a_failure(step=None, reason=None), states={**DONE, **states}).text

    assert STOPPED not in text
    assert f"no task failed, yet {', '.join(tasks)} did not run" in text
    assert f"\n  reports clear sales manual__1 {' '.join(tasks)}\n" in text
    assert "reports trigger" not in text


def test_a_run_whose_tasks_all_succeeded_was_marked() -> None:
    assert STOPPED in replace(a_failure(step=None, reason=None), states=DONE).text


def test_an_alert_after_publishing_says_that_and_what_failed() -> None:
    text = a_failure(step="deliver", reason="TransientError: no mail", published=True).text

    assert "Step: deliver\nReason: TransientError: no mail\n" in text
    assert "Undone: nothing; the figures were published before and stay." in text
    assert "reports clear sales manual__1 deliver\n" in text


FLIGHTS = "Required source flights: 0 rows; at least 1 are due"
BOTH = f"{FLIGHTS}; airlines: its fetch failed or was killed"
NOT_STAGED = "its fetch succeeded, yet its staged data is gone; clear fetch_weather too"
GONE = "StagingGoneError: 'orders' is not staged any more; clear fetch_orders with its downstream."
INIT_DOWN = "OperationalError: no warehouse"


@pytest.mark.parametrize(
    ("step", "reason", "more", "tasks"),
    [
        ("init", INIT_DOWN, (), "init"),
        ("fetch_orders", "x", ("await_sources",), "fetch_orders"),
        ("fetch_a", "x", ("await_sources", "fetch_b"), "fetch_a fetch_b"),
        # to clear the waiting step alone would find the same data again
        ("await_sources", FLIGHTS, (), "fetch_flights"),
        ("await_sources", f"ContractError: {BOTH}", (), "fetch_flights fetch_airlines"),
        ("await_sources", f"Source weather: {NOT_STAGED}", (), "fetch_weather"),
        ("await_sources", f"{FLIGHTS}; weather: {NOT_STAGED}", (), "fetch_flights fetch_weather"),
        ("await_sources", "AirflowTaskTimeout: 3 h", (), "await_sources"),
        # nor is compute of any use when what it reads is gone
        ("compute", GONE, (), "fetch_orders"),
        ("compute", "ValueError: no", ("fetch_weather",), "compute"),
        ("store", "IntegrityError: x; clear compute with its downstream.", (), "compute"),
        ("deliver", None, (), "deliver"),
        ("deliver", "TerminalError: x; clear store with its downstream tasks.", (), "store"),
    ],
)
def test_an_alert_names_the_tasks_to_clear(
    step: str, reason: str | None, more: tuple[str, ...], tasks: str
) -> None:
    text = a_failure(step=step, reason=reason, more=more).text
    assert f"\n  reports clear sales manual__1 {tasks}\n" in text


# As Airflow leaves the tasks of a run that a person has marked failed, or cancelled.
CANCELLED: dict[str, str | None] = {
    **DONE,
    "fetch_a": "failed",
    "fetch_b": "skipped",
    "await_sources": "failed",
    "compute": "skipped",
    "store": "skipped",
}


@pytest.mark.parametrize(
    ("changed", "step", "reason", "tasks"),
    [
        ({}, "fetch_a", None, ["fetch_a", "fetch_b"]),
        # of an optional source the failed fetch is not the step that is told
        ({}, "await_sources", None, ["fetch_a", "fetch_b"]),
        ({"fetch_a": "success", "fetch_b": None}, "await_sources", None, ["fetch_b"]),
        ({"fetch_a": "removed", "fetch_b": "success"}, "await_sources", None, ["fetch_a"]),
        ({"fetch_a": "success", "fetch_b": "success"}, "await_sources", None, ["await_sources"]),
        ({"await_sources": "success", "compute": "failed"}, "compute", None, ["compute"]),
        # a reason that was left before the fetches were cleared, which succeeded since
        (
            {"fetch_a": "success", "fetch_b": "success"},
            "await_sources",
            "ContractError: Required source a: TransientError: no answer; b: its fetch was skipped",
            ["await_sources"],
        ),
        (
            {"fetch_a": "success"},
            "await_sources",
            "ContractError: Required source a: TransientError: no; detail: x; b: its fetch failed",
            ["fetch_b"],
        ),
        # these are found of a fetch that has succeeded
        (
            {"fetch_a": "success"},
            "await_sources",
            "ContractError: Required source a: 0 rows; at least 1 are due",
            ["fetch_a"],
        ),
    ],
)
def test_the_advice_is_the_earliest_work_that_is_missing(
    changed: dict[str, str | None], step: str, reason: str | None, tasks: list[str]
) -> None:
    """Clearing only the step that waits would find the same source missing again."""
    failure = replace(a_failure(step, reason), states={**CANCELLED, **changed})
    assert to_clear(failure) == tasks
    assert f"\n  reports clear sales manual__1 {' '.join(tasks)}\n" in failure.text


def test_a_run_that_was_cancelled_was_ended_by_hand() -> None:
    cancelled = replace(a_failure("await_sources", None), states=CANCELLED)
    assert f"Reason: {BY_HAND}\n" in cancelled.text
    assert KILLED not in cancelled.text

    known = replace(a_failure("compute", None), ended_by="ann")
    assert "Reason: ended by hand by ann: " in known.text
    assert "Reason: ended by hand by ann: " in replace(known, step=None).text


def test_f5_a_task_that_dies_by_itself_was_not_ended_by_hand() -> None:
    states = {**DONE, "compute": "failed", "store": "upstream_failed"}
    assert KILLED in replace(a_failure("compute", None), states=states).text


@pytest.mark.parametrize(
    ("reason", "given"),
    [
        ("Param 'carrier' is 'X'; allowed: 'UA'.", "--period PERIOD --param carrier=VALUE"),
        ("Param 'period' is '2024-13'; allowed: a calendar month", "--period PERIOD"),
        ("Period '2024-05' is a month that ends at 2024-06-01", "--period PERIOD"),
        ("Param 'x' is unknown; allowed: period.", "--period PERIOD"),
    ],
)
def test_a_refused_value_is_to_be_given_anew(reason: str, given: str) -> None:
    text = a_failure(step="init", reason=f"InputError: {reason}").text
    assert f"with an allowed value:\n  reports trigger sales {given}\n" in text
    assert "clear" not in text


CENTER = "http://airflow/reports/runs/sales/manual__1"


def test_an_alert_links_to_the_report_center_and_names_its_button() -> None:
    assert "Report center" not in a_failure().text
    text = replace(a_failure(), center_url=CENTER).text
    assert f'Report center: {CENTER} (button "Rerun the failed part")\n' in text
    assert text.endswith("Open: http://airflow/dags/sales/runs/manual__1")


def test_a_run_without_a_failed_part_has_no_button() -> None:
    stopped = replace(a_failure(step=None, reason=None), center_url=CENTER)
    assert f"\nReport center: {CENTER}\n" in stopped.text
    refused = a_failure(step="init", reason="InputError: Param 'period' is 'x'")
    assert "button" not in replace(refused, center_url=CENTER).text


def test_what_failed_because_of_a_fetch_is_not_told_as_a_failure_of_its_own() -> None:
    more = ("await_sources", "compensate")
    assert "Also failed: compensate\n" in a_failure(step="fetch_a", more=more).text
    assert "Also failed" not in a_failure(step="fetch_a", more=("await_sources",)).text


def test_the_command_is_as_its_reader_types_it() -> None:
    failure = replace(a_failure(), command=".venv/bin/reports", run_id="by hand")
    assert ".venv/bin/reports clear sales 'by hand' compute" in failure.text


def test_an_undo_that_found_nothing_is_not_told() -> None:
    nothing = Entry("store", NOTHING_LEFT, is_done=True)
    free = Entry("init", "the period is free for another run", is_done=True)
    text = a_failure(undone=(nothing, free)).text
    assert "Undone:\n  init: the period is free for another run\n" in text
    assert "Undone: nothing was left to undo.\n" in a_failure(undone=(nothing,)).text


def test_what_is_kept_is_told_apart_from_what_was_undone() -> None:
    fetched = "3 uncommitted parts removed; committed data is kept for 1 day"
    text = a_failure(undone=(Entry("fetch", fetched, is_done=True),)).text
    assert "Undone:\n  fetch: 3 uncommitted parts removed\n" in text
    assert "Kept: committed data for 1 day" in text

    kept = Entry("fetch", "committed data is kept for its time", is_done=True)
    text = a_failure(undone=(kept,)).text
    assert "Undone: nothing was left to undo.\nKept: committed data for its time" in text


def test_an_alert_does_not_claim_an_undo_that_was_not_done() -> None:
    assert "nothing yet; the janitor" in a_failure(undone=()).text
    assert "published before and stay" in a_failure(published=True).text
    failed = Entry("fetch", "failed: store is down", is_done=False)
    text = a_failure(undone=(failed,)).text
    assert "Undone:" not in text
    assert "Not undone yet, the janitor tries again:\n  fetch: failed: store is down\n" in text
