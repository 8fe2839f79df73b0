"""Killed at any line, or not taken back by its service: no request is left without an owner (R16).

What a service can hold open, on a live Airflow, is in tests/e2e/test_no_orphans.py. A reply that
comes when its queue is gone is in test_core_service_messages.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pytest

from reporting.core.run import Run
from reporting.core.saga import Places, cancel_unused, compensate
from reporting.core.service import asking as asking_module
from reporting.core.service import conversation as conversation_module
from reporting.core.service import job as job_module
from reporting.core.service.broker import Broker, count_replies
from reporting.core.service.callback import Awaited, keep_verdict
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.staging import Staging
from reporting.core.warehouse.ledger import CLOSING_STEP, read_entries
from reporting.core.warehouse.runs import expired_runs, is_open, register_staging, start_keeping
from reporting.errors import TransientError
from reporting.queues import declare_request_queue
from tests.integration.ended_requests import (
    KEEP,
    AsksByMessage,
    AsksForJob,
    cancelling,
    cleared,
)
from tests.integration.expiring import expire
from tests.integration.job_service import Jobs
from tests.integration.scripted_service import Reply, Request
from tests.integration.striking import StruckError, striking
from tests.specimens import a_run

pytestmark = pytest.mark.integration

MODULES = (asking_module, conversation_module, job_module)
MOST_LINES = 400
RUNNING = {"status": "running"}


class Fetches(Protocol):
    """A run that asks."""

    def fetch(self, run: Run) -> None:
        """Do all that a fetch does."""


def struck_at_each_line(fetches: Fetches, report: str, step: int) -> Iterator[Run]:
    """Yield a run that was killed at a line, for every line of those that ask, or every so many."""
    for at in range(1, MOST_LINES, step):
        run = a_run(report, run_id=f"run-{at}")
        try:
            with striking(at, *MODULES):
                fetches.fetch(run)
        except StruckError:
            yield run
        else:
            assert at > step * 8  # it came to some lines
            return
    raise AssertionError("there are more lines than that")


@pytest.fixture
def jobs() -> Jobs:
    return Jobs()


@pytest.fixture
def by_job(places: Places, jobs: Jobs) -> AsksForJob:
    return AsksForJob(replace(places, canceller=cancelling(jobs)), jobs)


@pytest.fixture
def by_message(places: Places, broker: Broker, queue: str) -> AsksByMessage:
    with broker.channel() as channel:
        declare_request_queue(channel, queue)
    canceller = cancelling(Jobs(), broker)
    return AsksByMessage(replace(places, canceller=canceller), broker, queue)


def record_of(places: Places, run: Run) -> RequestRecord | None:
    return RequestRecords(places.staging, run.id).read("orders")


def is_collected(places: Places, run: Run) -> bool:
    return Staging(places.staging, run.id).manifest("orders") is not None


Next = Callable[[Places, Fetches, Run], None]


def compensated(places: Places, _: Fetches, run: Run) -> None:
    assert all(entry.is_done for entry in compensate(places, run.id))


def tried_again(_: Places, fetches: Fetches, run: Run) -> None:
    fetches.fetch(run)


def cleared_and_run(_: Places, fetches: Fetches, run: Run) -> None:
    fetches.fetch(cleared(run))


NEXT = pytest.mark.parametrize("then", [compensated, tried_again, cleared_and_run])


@NEXT
def test_killed_at_any_line_no_job_is_left(
    by_job: AsksForJob, jobs: Jobs, report_name: str, then: Next
) -> None:
    for run in struck_at_each_line(by_job, report_name, step=2):
        then(by_job.places, by_job, run)

        record, asked = record_of(by_job.places, run), list(jobs.by_key.values())
        collected = is_collected(by_job.places, run)
        assert record is None or record.ended
        assert collected or then is compensated
        # The one whose rows are staged was read to its end.
        assert set(asked[:-1] if collected else asked) <= set(jobs.cancelled)
        if then is tried_again and not (record and record.number > 1):
            assert len(asked) == 1
        jobs.by_key.clear()
        jobs.cancelled.clear()


@NEXT
def test_killed_at_any_line_no_reply_queue_is_left(
    by_message: AsksByMessage, report_name: str, then: Next
) -> None:
    for run in struck_at_each_line(by_message, report_name, step=4):
        before = record_of(by_message.places, run)
        then(by_message.places, by_message, run)

        record = record_of(by_message.places, run)
        assert record is None or record.ended
        assert is_collected(by_message.places, run) or then is compensated
        for known in filter(None, (before, record)):
            assert has_no_queue(by_message.broker, known.key(run.id.task_key))


def has_no_queue(broker: Broker, key: str) -> bool:
    with broker.channel() as channel:
        return count_replies(channel, key) is None


@pytest.fixture
def asked(by_job: AsksForJob, jobs: Jobs, report_name: str) -> Run:
    """A run that was killed while its job was read."""
    run = a_run(report_name)
    jobs.before = lambda r: Reply(is_cut=True) if r.path.endswith("/result") else None
    with pytest.raises(TransientError):
        by_job.fetch(run)
    return run


def refusing(status: int) -> Callable[[Request], Reply | None]:
    return lambda request: Reply(status=status) if request.method == "DELETE" else None


@pytest.mark.parametrize("status", [401, 405, 503])
def test_a_job_its_service_does_not_take_back_is_told_of_and_tried_again(
    by_job: AsksForJob, jobs: Jobs, asked: Run, status: int
) -> None:
    places = by_job.places
    jobs.before = refusing(status)

    (left,) = [entry for entry in compensate(places, asked.id) if not entry.is_done]

    assert left.step == "request"
    assert str(status) in left.outcome
    assert f"remove {asked.id.prefix}_requests/orders.json" in left.outcome
    assert is_open(places.warehouse, asked.id)
    assert CLOSING_STEP not in {e.step for e in read_entries(places.warehouse, asked.id)}

    jobs.before = lambda _: None
    assert all(entry.is_done for entry in compensate(places, asked.id))
    assert jobs.cancelled == ["job-1"]
    assert not is_open(places.warehouse, asked.id)


def test_a_connection_that_was_removed_keeps_no_other_request(
    by_job: AsksForJob, jobs: Jobs, asked: Run
) -> None:
    """What fails here is Airflow's own error, and none of ours."""
    records = RequestRecords(by_job.places.staging, asked.id)
    first = record_of(by_job.places, asked)
    assert first is not None
    records.write(replace(first, source="another", conn_id="removed"))
    known = by_job.places.canceller(asked.id)

    def cancel(record: RequestRecord) -> None:
        if record.conn_id == "removed":
            raise LookupError("The conn_id `removed` isn't defined")
        known(record)

    places = replace(by_job.places, canceller=lambda _: cancel)
    (left,) = [entry for entry in compensate(places, asked.id) if not entry.is_done]

    assert "isn't defined" in left.outcome
    assert f"remove {asked.id.prefix}_requests/another.json" in left.outcome
    assert jobs.cancelled == ["job-1"]


def test_a_record_that_cannot_be_read_keeps_no_other_request(
    by_job: AsksForJob, jobs: Jobs, asked: Run
) -> None:
    where = f"{asked.id.prefix}_requests/another.json"
    by_job.places.staging.put(where, b"{")

    (left,) = [entry for entry in compensate(by_job.places, asked.id) if not entry.is_done]

    assert f"{where}' is no request record" in left.outcome
    assert jobs.cancelled == ["job-1"]


def test_data_past_its_time_is_kept_while_a_request_needs_it(
    by_job: AsksForJob, jobs: Jobs, asked: Run
) -> None:
    """A process outlived its run: it has asked after all was undone."""
    places = by_job.places
    register_staging(places.warehouse, asked, timedelta(0))
    start_keeping(places.warehouse, asked.id)
    assert [staged.run_id for staged in expired_runs(places.warehouse)] == [asked.id.run_id]
    jobs.before = refusing(503)

    with pytest.raises(TransientError, match="503"):
        expire(places, asked.id)
    assert record_of(places, asked) is not None

    jobs.before = lambda _: None
    expire(places, asked.id)
    assert jobs.cancelled == ["job-1"]
    assert record_of(places, asked) is None


def test_a_run_that_was_undone_and_works_on_is_open_again(
    by_job: AsksForJob, jobs: Jobs, asked: Run
) -> None:
    compensate(by_job.places, asked.id)
    assert not is_open(by_job.places.warehouse, asked.id)
    jobs.before = lambda r: Reply(is_cut=True) if r.path.endswith("/result") else None

    with pytest.raises(TransientError):
        by_job.fetch(asked)  # its process had not noticed yet
    assert is_open(by_job.places.warehouse, asked.id)

    compensate(by_job.places, asked.id)
    assert jobs.cancelled == ["job-1", "job-2"]
    assert not is_open(by_job.places.warehouse, asked.id)


def test_what_an_optional_source_has_asked_is_cancelled_after_the_publish(
    by_job: AsksForJob, jobs: Jobs, asked: Run
) -> None:
    places = by_job.places
    start_keeping(places.warehouse, asked.id)  # as the publish does
    jobs.before = refusing(503)
    assert not cancel_unused(places, asked.id).is_done
    assert is_open(places.warehouse, asked.id)  # so that the janitor comes back to it

    jobs.before = lambda _: None
    assert cancel_unused(places, asked.id).outcome == "1 request cancelled"
    assert jobs.cancelled == ["job-1"]
    assert not is_open(places.warehouse, asked.id)


def test_a_callback_after_the_clean_up_leaves_nothing(by_job: AsksForJob, asked: Run) -> None:
    places, record = by_job.places, record_of(by_job.places, asked)
    assert record is not None
    until = datetime.now(UTC) + KEEP
    key = record.key(asked.id.task_key)
    awaited = Awaited(asked.id.report, asked.id.run_id, "orders", key, until.isoformat())

    compensate(places, asked.id)
    assert keep_verdict(places.staging, awaited, {"status": "done"}) == "kept"
    expire(places, asked.id)
    assert keep_verdict(places.staging, awaited, {"status": "done"}) == "not awaited"
    assert list(places.staging.keys(asked.id.prefix)) == []
