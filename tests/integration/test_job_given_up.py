"""What is done with a job whose waiting has ended without a result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from embedded_stack.stack import Stack
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.service.watch import FAILED, LATE, REFUSED, STALLED
from reporting.core.staging import Staging
from reporting.errors import ReportError, TerminalError, TransientError
from tests.airflow_home import use_own_home
from tests.integration.edge_context import context_of, report_of
from tests.integration.job_service import Jobs
from tests.integration.scripted_service import serving
from tests.specimens import a_job_source

pytestmark = pytest.mark.integration


@dataclass(frozen=True)
class Asked:
    """A job that was asked for, as the task finds it when it goes on."""

    staging: Staging
    jobs: Jobs

    @property
    def records(self) -> RequestRecords:
        """What the run has asked."""
        return RequestRecords(self.staging.bucket, self.staging.run)

    def goes_on(self, outcome: str, reason: str = "") -> ReportError:
        """Let the task go on after the waiting; return the error that it ends with."""
        from reporting.airflow_edge.steps.fetch_job import collect

        source, run = a_job_source(), self.staging.run
        event = {"outcome": outcome, "reason": reason}
        with pytest.raises(ReportError) as fault:
            collect(source, report_of(run, source), context_of(run), event)
        return fault.value


@pytest.fixture
def asked(stack: Stack, staging: Staging, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    use_own_home()
    name = "AIRFLOW_CONN_REPORT_STORE"
    monkeypatch.setenv(name, stack.environment()[name])
    jobs = Jobs()
    with serving(jobs.answer) as service:
        known = {"conn_type": "http", "host": service.url}
        monkeypatch.setenv("AIRFLOW_CONN_ORDERS_API", json.dumps(known))
        found = Asked(staging, jobs)
        found.records.write(
            RequestRecord(
                source="orders",
                life="0 ",
                number=1,
                way="http",
                conn_id="orders_api",
                sent_at=datetime.now(UTC).isoformat(),
                path="/jobs",
                cancel="/jobs/{id}",
                job="job-1",
            )
        )
        yield found


@pytest.mark.parametrize(
    ("outcome", "kind", "words", "is_cancelled"),
    [
        (FAILED, TransientError, "job job-1 failed at the service: disk full", False),
        (STALLED, TransientError, "job job-1 made no progress for 0:15:00", True),
        (LATE, TransientError, "job job-1 had not ended after 0:30:00", True),
        (REFUSED, TerminalError, "job job-1 was lost: disk full", True),
    ],
)
def test_a_job_is_given_up_with_its_reason(
    asked: Asked, outcome: str, kind: type[ReportError], words: str, is_cancelled: bool
) -> None:
    error = asked.goes_on(outcome, "disk full")

    assert type(error) is kind
    assert words in str(error)
    assert asked.jobs.cancelled == (["job-1"] if is_cancelled else [])
    record = asked.records.read("orders")
    assert record is not None
    assert words in record.ended
    assert asked.staging.manifest("orders") is None


def test_a_request_that_is_gone_is_asked_for_again(asked: Asked) -> None:
    asked.records.forget("orders")

    assert type(asked.goes_on(LATE)) is TransientError
    assert asked.jobs.cancelled == []
