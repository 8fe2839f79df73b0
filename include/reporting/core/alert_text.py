"""What an alert says: report, period, step, reason, what was undone, how to run it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reporting.core.rerun_text import needs_clear, rerun_lines, unended
from reporting.core.states import (
    AWAIT,
    COMPUTE,
    DELIVER,
    FETCH_PREFIX,
    STORE,
    TaskStates,
    was_cut_short,
)
from reporting.core.warehouse.ledger import NOTHING_LEFT

if TYPE_CHECKING:
    from reporting.core.warehouse.ledger import Entry

KILLED = "the task ended without an error of its own: killed, possibly out of memory or by hand"
BY_HAND = "ended by hand: the run, or this task of it, was marked failed"
STOPPED = "no task failed; the run was marked failed by hand or ran over its time limit"
UNREADABLE = (
    "Airflow cannot read the file of the report, or it is gone (reports list names broken files); "
    "until it is mended no task of the report is started"
)
UNENDED = "did not run, or not to its end (out of time, marked by hand, or left out of a clear)"
RERUN_BUTTON = "Rerun the failed part"  # as the report center writes on it
WAITS_FOR_FETCHES = (AWAIT, COMPUTE, STORE, DELIVER)


@dataclass(frozen=True)
class Failure:
    """One failed life of a run.

    Attributes:
        title: what people call the report.
        report: its name.
        period: period key, or `unknown` when the run never got that far.
        run_id: Airflow's run id.
        step: the task that broke the run, or None.
        reason: its error in words, or None when it left none.
        undone: ledger of the compensation.
        published: whether figures had been published before it failed.
        url: the run's page in Airflow.
        more_failed: further failed tasks.
        command: the command line, as its reader types it.
        states: state per task of the run, where they are known.
        again: how often it was run again by `retry_run`; None where that is never done.
        ended_by: who marked the run or the step failed, where that is known.
        center_url: the run's page in the report center, where it is to be told.
    """

    title: str
    report: str
    period: str
    run_id: str
    step: str | None
    reason: str | None
    undone: Sequence[Entry]
    published: bool
    url: str
    more_failed: Sequence[str] = ()
    command: str = "reports"
    states: TaskStates = field(default_factory=dict)
    again: str | None = None
    ended_by: str | None = None
    center_url: str | None = None

    @property
    def subject(self) -> str:
        """One line for the subject of a mail."""
        return f"[failed] {self.title}, {self.period}: {self.step or 'run'}"

    @property
    def text(self) -> str:
        """The whole message as plain text."""
        lines = [
            f"Report: {self.title} ({self.report})",
            f"Period: {self.period}",
            f"Run: {self.run_id}",
            f"Step: {self.step or 'none'}",
            f"Reason: {self.reason or _why_without_words(self)}",
        ]
        if others := self.others:
            lines.append(f"Also failed: {', '.join(others)}")
        if self.again:
            lines.append(f"Run again: {self.again}")
        again = [*rerun_lines(self), *self._center_lines(), f"Open: {self.url}"]
        return "\n".join([*lines, "", *self._undone_lines(), "", *again])

    @property
    def others(self) -> list[str]:
        """The further tasks that failed for a reason of their own."""
        is_fetch = (self.step or "").startswith(FETCH_PREFIX)
        caused = WAITS_FOR_FETCHES if is_fetch else ()
        return [task for task in self.more_failed if task not in caused]

    def _undone_lines(self) -> list[str]:
        if self.published:
            return ["Undone: nothing; the figures were published before and stay."]
        if not self.undone:
            return ["Undone: nothing yet; the janitor sees to it."]
        done = [f"  {entry.step}: {entry.undone}" for entry in self.undone if entry.undone]
        left = [f"  {entry.step}: {entry.outcome}" for entry in self.undone if not entry.is_done]
        kept = [entry.kept_for for entry in self.undone if entry.is_done and entry.kept_for]
        lines = ["Undone:", *done] if done else []
        lines += ["Not undone yet, the janitor tries again:", *left] if left else []
        return [
            *(lines or [f"Undone: {NOTHING_LEFT}."]),
            *(f"Kept: committed data for {time}, so that a step can be cleared." for time in kept),
        ]

    def _center_lines(self) -> list[str]:
        if self.center_url is None:
            return []
        button = f' (button "{RERUN_BUTTON}")' if needs_clear(self) else ""
        return [f"Report center: {self.center_url}{button}"]


def _why_without_words(failure: Failure) -> str:
    """Return why a run failed of which no task has left an error."""
    if failure.ended_by:
        return BY_HAND.replace("by hand", f"by hand by {failure.ended_by}", 1)
    if failure.step is None:
        return _why_stopped(failure)
    return BY_HAND if was_cut_short(failure.states) else KILLED


def _why_stopped(failure: Failure) -> str:
    """Return why a run failed of which no task did."""
    tasks = ", ".join(unended(failure.states))
    if not tasks:
        return STOPPED
    return f"no task failed, yet {tasks} {UNENDED}: clear {tasks} with its downstream tasks"
