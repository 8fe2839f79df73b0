"""One run with all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from report_center.records.checks import CheckRow
    from report_center.records.failure import FailureRow
    from report_center.records.progress import RunProgress
    from report_center.records.releases import ReleaseRow
    from report_center.records.runs import RunRow
    from report_center.records.transitions import Transition
    from reporting.core.run_retry import Plan


@dataclass(frozen=True)
class StepRow:
    """One task of the run.

    Attributes:
        name: task id.
        state: Airflow's state; None when not yet scheduled.
        tries: how often it was started.
        max_tries: how often it may be.
        queued_at: when it was put in line for its last try; None when it is to be run again.
        started_at: when its last try began; None as well.
        ended_at: when that ended.
        seconds: how long its last try took.
        failure: why it failed; None when it did not, or left no reason.
        result: what it returned, small: counts and names; None when it has not succeeded.
    """

    name: str
    state: str | None
    tries: int
    max_tries: int
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    seconds: float | None
    failure: str | None
    result: Any


@dataclass(frozen=True)
class Wait:
    """What a source waits for.

    Attributes:
        kind: `slot` (a free place to run), `retry` (its next try), `job` (a job of a service),
            `reply` (messages of a service) or `drop` (objects in S3).
        what: the job's id, the queue, the key or the pool; empty when it is not known.
        since: since when; None when that is unknown.
    """

    kind: str
    what: str
    since: datetime | None


@dataclass(frozen=True)
class SourceRow:
    """One source of the run.

    Attributes:
        name: name of the source.
        kind: class of its definition, e.g. `HttpSource`; empty when unknown.
        is_required: whether the run fails without it.
        step: its fetch.
        rows: rows staged; None before.
        bytes: their size.
        set_aside: rows that did not fit and were set aside.
        facts: what its manifest says of it besides: snapshot time, watermark, expected count.
        staged_at: when its manifest was committed; None when that is unknown.
        missing: why the run goes on without it; None when it does not.
        waits_for: what it waits for now; None when it does not wait.
    """

    name: str
    kind: str
    is_required: bool
    step: StepRow
    rows: int | None
    bytes: int | None
    set_aside: int
    facts: Mapping[str, Any]
    staged_at: datetime | None
    missing: str | None
    waits_for: Wait | None


@dataclass(frozen=True)
class DeliveryRow:
    """One receipt of a release's files, or of an alert.

    Attributes:
        channel: `email` or `slack`.
        recipient: address, or connection of the channel.
        is_alert: whether it told of a failure, or that the release is incomplete, instead of
            bringing files.
        is_sent: whether the far side took it.
        tries: how often it was tried.
        error: why the last try failed; None when it was sent.
        tried_at: when it was tried last.
    """

    channel: str
    recipient: str
    is_alert: bool
    is_sent: bool
    tries: int
    error: str | None
    tried_at: datetime


@dataclass(frozen=True)
class UndoRow:
    """One line of the ledger of compensation.

    Attributes:
        step: whose work was undone.
        outcome: what was done, or why it could not be.
        is_done: whether nothing is left to undo.
        undone_at: when it was tried last.
    """

    step: str
    outcome: str
    is_done: bool
    undone_at: datetime


@dataclass(frozen=True)
class AnswerRow:
    """The release that answers a duplicate.

    Attributes:
        version: its version.
        run_id: the run that has published it.
        published_at: when.
        missing: optional sources it was made without.
    """

    version: int
    run_id: str
    published_at: datetime
    missing: tuple[str, ...]


@dataclass(frozen=True)
class RunView:
    """Everything about one run.

    Attributes:
        run: the run as a list shows it.
        transitions: states of this life with their times, oldest first; the last one is where it
            is.
        steps: every task, in the order of the work.
        sources: every source, in declared order.
        release: what it has published; None for nothing, or when that cannot be told now.
        deliveries: receipts of the release, and of the alarm of a failed run.
        compensated: what was undone in this life.
        failure: why it failed and what to do; None for a run that did not.
        duplicate_of: the run that does the same, or has done it; None for no duplicate.
        answered_by: the release that answers it, in words, when that was published before.
        again: what was decided about running it again, in words.
        progress: how far the running step is.
        expected_end: when it will have ended, by the usual duration; None when nobody can tell.
        unseen: what could not be asked, in words.
        kept: states it passed in an earlier life, by steps that were not run again.
        checks: what the release was checked for.
        plan: what was decided about running it again; None when that cannot be told now.
        answer: the release that answers it, when that was published before.
    """

    run: RunRow
    transitions: tuple[Transition, ...]
    steps: tuple[StepRow, ...]
    sources: tuple[SourceRow, ...]
    release: ReleaseRow | None
    deliveries: tuple[DeliveryRow, ...]
    compensated: tuple[UndoRow, ...]
    failure: FailureRow | None
    duplicate_of: str | None
    answered_by: str | None
    again: str | None
    progress: RunProgress
    expected_end: datetime | None
    unseen: tuple[str, ...]
    kept: tuple[str, ...] = ()
    checks: tuple[CheckRow, ...] = ()
    plan: Plan | None = None
    answer: AnswerRow | None = None

    def step(self, name: str) -> StepRow | None:
        """Return a task by name, e.g. `compute`."""
        return next((step for step in self.steps if step.name == name), None)
