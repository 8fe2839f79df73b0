"""Why a run failed, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from reporting.core.alert_text import Failure
from reporting.core.rerun_text import to_clear, unended
from reporting.core.states import INIT, failed_step
from reporting.errors import InputError

if TYPE_CHECKING:
    from report_center.records.runs import RunRow
    from reporting.core.warehouse.ledger import Entry


@dataclass(frozen=True)
class FailureRow:
    """What a reader must know of a failed run.

    Attributes:
        step: the task that broke it; None when no task did, as for one marked failed.
        reason: its error in words; None when it left none, as one that was killed.
        also_failed: further tasks that failed for a reason of their own.
        remedy: `clear` (mend the cause, then clear `to_clear`), `params` (trigger with an allowed
            value) or `trigger` (trigger anew).
        to_clear: tasks to clear with all that comes after them.
        text: the same as the alert says it, in English, with the command.
    """

    step: str | None
    reason: str | None
    also_failed: tuple[str, ...]
    remedy: str
    to_clear: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Aftermath:
    """What came of a failed run.

    Attributes:
        reasons: error in words per task that left one.
        optional: sources it could have gone on without.
        undone: ledger of its compensation.
        is_published: whether its figures were published before it failed.
        again: what was decided about running it again, in words.
    """

    reasons: Mapping[str, str]
    optional: Sequence[str]
    undone: Sequence[Entry]
    is_published: bool
    again: str | None


def failure_row(run: RunRow, after: Aftermath) -> FailureRow:
    """Return why a failed run failed, and what to do."""
    step = failed_step(run.steps, after.optional)
    failure = Failure(
        title=run.title,
        report=run.report,
        period=run.period or "unknown",
        run_id=run.run_id,
        step=step,
        reason=after.reasons.get(step) if step else None,
        undone=after.undone,
        published=after.is_published,
        url=f"/dags/{quote(run.report, safe='')}/runs/{quote(run.run_id, safe='')}",
        more_failed=sorted(t for t, state in run.steps.items() if state == "failed" and t != step),
        states=run.steps,
        again=after.again,
    )
    remedy = _remedy(failure)
    tasks = tuple(to_clear(failure)) if remedy == "clear" else ()
    return FailureRow(step, failure.reason, tuple(failure.others), remedy, tasks, failure.text)


def _remedy(failure: Failure) -> str:
    if failure.step is None and not unended(failure.states):
        return "trigger"
    is_refused = (failure.reason or "").startswith(InputError.__name__)
    return "params" if failure.step == INIT and is_refused else "clear"
