"""The trigger that watches one job; it only looks."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any

from airflow.triggers.base import BaseTrigger, TriggerEvent

from reporting.airflow_edge.own_threads import in_own_thread
from reporting.core.service.watch import DONE, FAILED, LATE, REFUSED, Patience, Watch
from reporting.errors import ReportError, TransientError

if TYPE_CHECKING:
    from reporting.core.fetch.endpoint import Endpoint
    from reporting.core.objects import Bucket
    from reporting.core.service.job import JobLook


class JobTrigger(BaseTrigger):
    """Looks ever less often until the job has ended, stalls, or its time is over."""

    def __init__(self, watched: Mapping[str, Any]) -> None:
        """Keep what to look at.

        Args:
            watched: `where` (source, for messages), `conn_id` (Airflow connection of the
                service), `job_id`, `job` (fields of `Job`), `patience` (fields of `Patience`),
                `timeouts` (seconds to `connect` and to `read`), and `awaited` (fields of
                `Awaited` when the service calls back, else None; it is then asked only when
                nothing has come in time).
        """
        super().__init__()  # type: ignore[no-untyped-call]
        self.watched = dict(watched)

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Return how to build this trigger again."""
        kind = type(self)
        return f"{kind.__module__}.{kind.__qualname__}", {"watched": self.watched}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look until the waiting ends; the event says how."""
        awaited = self.watched["awaited"]
        event = await (self._poll() if awaited is None else self._listen(awaited))
        yield TriggerEvent(event)  # type: ignore[no-untyped-call]

    async def _poll(self) -> dict[str, Any]:
        endpoint, watch = self._endpoint(), Watch(Patience(**self.watched["patience"]), time.time())
        while True:
            look: JobLook | None = None
            reason = ""
            try:
                look = await in_own_thread(self.watched["conn_id"], self._look, endpoint)
                reason = look.reason
            except TransientError as error:
                reason = str(error)  # it may be back before the time is over
            except ReportError as error:
                return {"outcome": REFUSED, "reason": str(error)}
            outcome = watch.judge(look, time.time())
            if outcome is not None:
                return {"outcome": outcome, "reason": reason}
            await asyncio.sleep(watch.pause(time.time()))

    async def _listen(self, awaited: Mapping[str, str]) -> dict[str, Any]:
        """Wait for the verdict; when none has come in time, one look decides.

        A first call that tells of no end, as of progress, counts all the same, and no other one
        will be heard: from then on the service is asked.
        """
        bucket, patience = self._bucket(), Patience(**self.watched["patience"])
        watch = Watch(patience, time.time())
        while time.time() < patience.until:
            look = await self._heard(bucket, awaited)
            if look is not None and (look.is_done or look.is_failed):
                return {"outcome": DONE if look.is_done else FAILED, "reason": look.reason}
            if look is not None:
                return await self._poll()
            await asyncio.sleep(watch.pause(time.time()))
        last = await self._poll()
        return last if last["outcome"] != LATE else {**last, "reason": "it did not call back"}

    async def _heard(self, bucket: Bucket, awaited: Mapping[str, str]) -> JobLook | None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            return await in_own_thread(bucket.name, self._said, bucket, awaited)
        except (BotoCoreError, ClientError, OSError) as error:
            # It may be back before the time is over; what is kept there waits.
            self.log.warning("The store does not answer: %s.", type(error).__name__)
            return None

    def _said(self, bucket: Bucket, awaited: Mapping[str, str]) -> JobLook | None:
        from reporting.core.service.callback import Awaited, verdict
        from reporting.core.service.job import NO_STATE, look_from
        from reporting.definition.jobs import Job

        said = verdict(bucket, Awaited(**awaited))
        return None if said is None else look_from(said, Job(**self.watched["job"])) or NO_STATE

    def _look(self, endpoint: Endpoint) -> JobLook:
        from reporting.core.service.looking import look_once
        from reporting.definition.jobs import Job

        known = self.watched
        job = Job(**known["job"])
        return look_once(known["where"], endpoint, job, known["job_id"], known["timeouts"])

    # Airflow is asked on the loop's own thread, as the triggerer requires; the others are not.
    def _endpoint(self) -> Endpoint:
        from reporting.airflow_edge.connections import http_endpoint

        return http_endpoint(self.watched["conn_id"])

    @staticmethod
    def _bucket() -> Bucket:
        from reporting.airflow_edge.connections import staging_bucket

        return staging_bucket()
