"""One look at a job, over a connection of its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from reporting.core.fetch.client import Client
from reporting.core.fetch.limits import limits_from_now
from reporting.core.service.job import JobLook, look

if TYPE_CHECKING:
    from reporting.core.fetch.endpoint import Endpoint
    from reporting.definition.jobs import Job

LOOK_LIMIT = timedelta(minutes=2)
MAX_STATUS_BYTES = 1024 * 1024


def look_once(
    where: str, endpoint: Endpoint, job: Job, job_id: str, timeouts: Mapping[str, float]
) -> JobLook:
    """Ask how a job is.

    Raises:
        ContractError: the answer tells no state.
        TransientError: no answer came.
        TerminalError: the service refuses, or knows no such job.
    """
    limits = limits_from_now(timeouts["connect"], timeouts["read"], LOOK_LIMIT, MAX_STATUS_BYTES)
    with Client(where, endpoint, limits) as client:
        return look(client, job, job_id)
