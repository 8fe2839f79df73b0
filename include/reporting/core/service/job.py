"""A job at a service: asked for, looked at, read, cancelled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.core.fetch.bodies import take_answer
from reporting.core.fetch.client import Asked
from reporting.core.fetch.refusal import RefusedError
from reporting.core.fetch.told_error import told
from reporting.definition.names import is_storable
from reporting.errors import ContractError

if TYPE_CHECKING:
    from reporting.core.fetch.client import Client
    from reporting.core.intake import Intake
    from reporting.definition.jobs import HttpJobSource, Job

TAKEN = (HTTPStatus.OK, HTTPStatus.CREATED, HTTPStatus.ACCEPTED)
CANCELLED = (HTTPStatus.OK, HTTPStatus.ACCEPTED, HTTPStatus.NO_CONTENT)
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.CONFLICT)  # or it has ended already
EXPIRED = (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
LONGEST_ID = 500


@dataclass(frozen=True)
class JobLook:
    """What a service says of a job.

    Attributes:
        state: as the service calls it.
        is_done: whether its result is ready.
        is_failed: whether it will never be.
        reason: the service's own words on a failure.
        sign: changes as long as the job moves on.
        link: where the result is, or None.
    """

    state: str
    is_done: bool
    is_failed: bool
    reason: str
    sign: str
    link: str | None


NO_STATE = JobLook("", is_done=False, is_failed=False, reason="", sign="", link=None)


def submit(client: Client, path: str, request: Mapping[str, Any], key: str, id_field: str) -> str:
    """Ask for a job and return its id; the same key again gives the same job.

    Args:
        client: reaches the service.
        path: what is POSTed to.
        request: JSON body.
        key: sent as `Idempotency-Key`.
        id_field: name in the answer that holds the id.

    Raises:
        ContractError: the answer has no id.
        TransientError: no answer came; the job may have been started all the same.
        TerminalError: the service refuses.
    """
    asked = Asked(
        path, method="POST", json=request, headers={"Idempotency-Key": key}, expected=TAKEN
    )
    answer = _json(client, asked)
    job = answer.get(id_field)
    is_id = isinstance(job, str | int) and not isinstance(job, bool)
    if is_id and 0 < len(str(job)) <= LONGEST_ID and _goes_into_a_path(str(job)):
        return str(job)
    raise ContractError(
        f"{client.where}: POST {path} answered no {id_field!r} that can be asked for; "
        f"it has: {told(', '.join(sorted(answer)))}."
    )


def look(client: Client, job: Job, job_id: str) -> JobLook:
    """Ask how a job is.

    Raises:
        ContractError: the answer tells no state.
        TransientError: no answer came.
        TerminalError: the service refuses, or knows no such job.
    """
    asked = Asked(path_of(job.status_path, job_id))
    answer = _json(client, asked)
    found = look_from(answer, job)
    if found is None:
        raise ContractError(
            f"{client.where}: the status of job {job_id!r} has no text {job.status!r}; "
            f"it has: {told(', '.join(sorted(answer)))}."
        )
    return replace(found, reason=client.without_secrets(found.reason, asked))


def look_from(said: Mapping[str, Any], job: Job) -> JobLook | None:
    """Read what a service says of a job; None when it names no state."""
    state, link = said.get(job.status), said.get(job.result)
    if not isinstance(state, str):
        return None
    return JobLook(
        state,
        state in job.done,
        state in job.failed,
        told(said.get(job.reason) or "the service gave no reason"),
        f"{state} {said.get(job.progress)}",
        link if isinstance(link, str) else None,
    )


def read_result(client: Client, source: HttpJobSource, job_id: str, intake: Intake) -> set[str]:
    """Take the rows of a job that is done; a link that has expired is asked for anew, once.

    Raises:
        ContractError: the result is something else than declared.
        TransientError: it was cut off.
        TerminalError: the service refuses it.
    """
    for is_last in (False, True):
        path = look(client, source.job, job_id).link or path_of(source.job.result_path, job_id)
        try:
            with client.ask(Asked(path)) as answer:
                return take_answer(source.body, answer, source.schema, intake)
        except RefusedError as error:
            if is_last or error.status not in EXPIRED:
                raise
    raise AssertionError  # the last round returns or raises


def cancel(client: Client, path: str) -> None:
    """Tell the service that a job is no longer wanted; one that has ended or is gone is no fault.

    Raises:
        TransientError: no answer came.
        TerminalError: the service refuses.
    """
    asked = Asked(path, method="DELETE", expected=(*CANCELLED, *GONE))
    with client.ask(asked) as answer:
        answer.body.read_whole()


def path_of(template: str, job_id: str) -> str:
    """Return a path with the job's id in it, whatever characters it has."""
    return template.replace("{id}", quote(job_id, safe=""))


def _goes_into_a_path(job_id: str) -> bool:
    """Say whether the path with the id leads to the job: dots alone lead to what is above it."""
    return is_storable(job_id) and job_id not in {".", ".."}


def _json(client: Client, asked: Asked) -> dict[str, Any]:
    with client.ask(asked) as answer:
        body = answer.body.read_whole()
    try:
        content = json.loads(body, parse_float=Decimal)
    except (ValueError, RecursionError, InvalidOperation):  # the last: an exponent of 20 digits
        content = None
    if not isinstance(content, dict):
        raise ContractError(f"{client.where}: {asked.method} answered no JSON object.")
    return content
