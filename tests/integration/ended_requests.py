"""Requests of a run that ends at any line, with what undoes them as the edge does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from reporting.core.intake import Intake
from reporting.core.objects import Bucket
from reporting.core.run import Run, RunId
from reporting.core.saga import Places
from reporting.core.service.asking import ask_for_job, cancel_job, end_request, record_due
from reporting.core.service.broker import Broker, forget_replies
from reporting.core.service.conversation import Conversation
from reporting.core.service.job import read_result
from reporting.core.service.receiving import take_parts
from reporting.core.service.request_record import RequestRecord, RequestRecords
from reporting.core.staging import Staging
from reporting.core.warehouse.runs import register_staging
from reporting.messages import Request
from tests.integration.job_service import ROWS, Jobs, asking
from tests.integration.message_service import reply
from tests.specimens import a_job_source, a_message_source

KEEP = timedelta(days=1)
Canceller = Callable[[RequestRecord], None]


def cancelling(jobs: Jobs, broker: Broker | None = None) -> Callable[[RunId], Canceller]:
    """Return what cancels at the service of jobs, or at the broker."""

    def canceller(run: RunId) -> Canceller:
        def cancel(record: RequestRecord) -> None:
            if record.way == "http":
                with asking(jobs) as (_, client):
                    cancel_job(record, client, run)
            elif record.cancel:
                assert broker is not None
                with broker.channel() as channel:
                    forget_replies(channel, record.key(run.task_key))

        return cancel

    return canceller


@dataclass(frozen=True)
class AsksForJob:
    """A run that asks for a job, reads it and ends the request."""

    places: Places
    jobs: Jobs

    def fetch(self, run: Run) -> None:
        """Do all that a fetch does."""
        register_staging(self.places.warehouse, run, KEEP)
        source, records = a_job_source(), RequestRecords(self.places.staging, run.id)
        cancel = self.places.canceller(run.id)
        with asking(self.jobs) as (_, client):
            record = record_due(records, "orders", "http", "orders_api", cancel)
            record = ask_for_job(records, record, client, source, {"day": "2024-05-01"})
            staging = Staging(self.places.staging, run.id)
            with staging.attempt("orders", source.schema) as attempt:
                read_result(client, source, record.job, Intake(source, attempt))
                attempt.commit({})
        end_request(records, record, "collected")


@dataclass(frozen=True)
class AsksByMessage:
    """A run that asks by a message, is answered at once, stages that and ends the request."""

    places: Places
    broker: Broker
    queue: str

    def fetch(self, run: Run) -> None:
        """Do all that a fetch does."""
        register_staging(self.places.warehouse, run, KEEP)
        records = RequestRecords(self.places.staging, run.id)
        cancel = self.places.canceller(run.id)
        record = record_due(records, "orders", "message", "reports_broker", cancel)
        talk = self._talk(run, records, record)
        talk.ask_once()
        with self.broker.channel() as channel:
            reply(channel, talk.request.key, 1, *ROWS, last=True)
        assert talk.hear(None)
        staging = Staging(self.places.staging, run.id)
        with staging.attempt("orders", talk.source.schema) as attempt:
            landing = Bucket(self.places.staging.client, "landing")
            take_parts(talk.inbox, landing, talk.source, Intake(talk.source, attempt))
            attempt.commit({})
        talk.end("collected")

    def _talk(self, run: Run, records: RequestRecords, record: RequestRecord) -> Conversation:
        key = record.key(run.id.task_key)
        request = Request(key, run.id.report, "orders", run.id.run_id, {}, {"id": "int64"})
        source = a_message_source(queue=self.queue)
        return Conversation(source, self.broker, records, record, request)


def cleared(run: Run) -> Run:
    """Return the next life of a run."""
    return replace(run, id=replace(run.id, clear_number=run.id.clear_number + 1))
