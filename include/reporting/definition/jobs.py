"""Sources whose service prepares the rows on request, and tells when they are ready."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from reporting.definition.bodies import Body, JsonBody
from reporting.definition.checked import checked
from reporting.definition.names import check_line
from reporting.definition.placeholders import BUILT_IN, check_placeholders
from reporting.definition.source import Source
from reporting.errors import DefinitionError

SHORTEST_PAUSE = timedelta(milliseconds=100)
WAITS = ("poll", "callback")
_OTHER_PLACEHOLDER = re.compile(r"\{(?!id\})\w*\}")


@checked
@dataclass(frozen=True)
class Job:
    """How a service speaks of a job: paths below the connection's host, and names in its answers.

    Attributes:
        id: name in the answer to the request that holds the job's id.
        status_path: where its status is; `{id}` is replaced.
        result_path: where its result is, once it is done; `{id}` is replaced.
        cancel_path: what is sent DELETE when the result is no longer wanted; `{id}` is replaced,
            None when the service cannot cancel.
        status: name in the status that holds the state.
        done: states of a job whose result is ready.
        failed: states of a job that will never be.
        reason: name in the status that says why it failed.
        progress: name in the status that changes while the job moves on; besides the state.
        result: name in the status that holds a link to the result; it is taken before
            `result_path`, and asked for anew when it has expired.
    """

    id: str = "id"
    status_path: str = "/jobs/{id}"
    result_path: str = "/jobs/{id}/result"
    cancel_path: str | None = "/jobs/{id}"
    status: str = "status"
    done: Sequence[str] = ("done",)
    failed: Sequence[str] = ("failed", "cancelled")
    reason: str = "error"
    progress: str = "progress"
    result: str = "result_url"

    def __post_init__(self) -> None:
        """Refuse blank names, paths without the id, and states that contradict each other."""
        for name in ("id", "status", "reason", "progress", "result"):
            check_line(f"Job: {name}", getattr(self, name))
        for name in ("status_path", "result_path", "cancel_path"):
            path = getattr(self, name)
            if path is not None and ("{id}" not in path or _OTHER_PLACEHOLDER.search(path)):
                raise DefinitionError(f"Job: {name}={path!r}; allowed: a path with {{id}} in it.")
        if not self.done or set(self.done) & set(self.failed):
            raise DefinitionError(
                f"Job: done={list(self.done)}, failed={list(self.failed)}; "
                "allowed: at least one state of done, none of them in both."
            )


@checked
@dataclass(frozen=True)
class HttpJobSource(Source):
    """Rows that a service prepares on request: asked for once, waited for, then read.

    The request carries the header `Idempotency-Key`, equal for equal requests of one run, so that
    a service that knows it starts one job only, whatever is lost on the way.

    Attributes:
        conn_id: Airflow connection of type `http`.
        path: what the request is POSTed to.
        request: JSON body of the request; placeholders in its texts are replaced as in `query` of
            an `HttpSource`.
        wait: `poll` asks for the status again and again, ever less often; `callback` is told by
            the service, at the address in the request's field `callback_field`, and asks once
            when nothing has come by `time_limit`.
        job: how the service speaks of jobs.
        body: what the result is.
        callback_field: name in the request that holds the address to call back.
        first_pause: wait before the second look; each further one is half as long again.
        longest_pause: longest wait between two looks.
        stalled_after: a job whose state and progress stay the same for so long is cancelled, and
            the fetch fails and is tried again.
        connect_timeout: limit for opening a connection, seconds.
        read_timeout: limit for silence while reading an answer, seconds.
        max_bytes: limit of the result, after unzipping.
    """

    path: str
    request: Mapping[str, Any] = field(default_factory=dict)
    wait: Annotated[str, "'poll' or 'callback'"] = "poll"
    job: Job = field(default_factory=Job)
    body: Body = field(default_factory=JsonBody)
    callback_field: str = "callback_url"
    first_pause: timedelta = timedelta(seconds=1)
    longest_pause: timedelta = timedelta(seconds=30)
    connect_timeout: float = 5.0
    read_timeout: float = 30.0
    max_bytes: int = 4 * 1024 * 1024 * 1024

    def _check_own(self) -> None:
        super()._check_own()
        where = f"Source {self.name!r}"
        if self.wait not in WAITS:
            raise DefinitionError(f"{where}: wait={self.wait!r}; allowed: {', '.join(WAITS)}.")
        for name in ("first_pause", "longest_pause"):
            if getattr(self, name) < SHORTEST_PAUSE:
                raise DefinitionError(
                    f"{where}: {name}={getattr(self, name)}; allowed: {SHORTEST_PAUSE} or more."
                )
        for name in ("connect_timeout", "read_timeout", "max_bytes"):
            if not 0 < getattr(self, name) < float("inf"):
                raise DefinitionError(
                    f"{where}: {name}={getattr(self, name)}; allowed: more than 0."
                )
        if self.wait == "callback" and self.callback_field in self.request:
            raise DefinitionError(
                f"{where}: request has a field {self.callback_field!r}, which is where the address "
                "to call back goes; allowed: any other name."
            )

    @property
    def _texts(self) -> tuple[str, ...]:
        return ("path", "callback_field")

    def check_use(self, params: Collection[str], folder: Path) -> None:  # noqa: ARG002 - no file
        """Refuse a text of the request with a placeholder that nothing fills."""
        for place, text in texts_of("request", self.request):
            check_placeholders(f"Source {self.name!r}: {place}", text, (*BUILT_IN, *params))


def texts_of(place: str, value: Any) -> list[tuple[str, str]]:
    """Return every text of a JSON value, with where it stands."""
    if isinstance(value, str):
        return [(place, value)]
    if isinstance(value, Mapping):
        parts = [texts_of(f"{place}[{key!r}]", item) for key, item in value.items()]
    elif isinstance(value, list | tuple):
        parts = [texts_of(f"{place}[{n}]", item) for n, item in enumerate(value)]
    else:
        parts = []
    return [found for part in parts for found in part]
