"""What an alert says: report, period, step, reason, what was undone, how to run it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.core.warehouse.ledger import Entry

KILLED = "the task ended without an error of its own: killed, possibly out of memory or by hand"
STOPPED = "no task failed; the run was marked failed by hand or ran over its time limit"


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

    @property
    def subject(self) -> str:
        """One line for the subject of a mail."""
        return f"[failed] {self.title}, {self.period}: {self.step or 'run'}"

    @property
    def text(self) -> str:
        """The whole message as plain text."""
        reason = self.reason or (KILLED if self.step else STOPPED)
        lines = [
            f"Report: {self.title} ({self.report})",
            f"Period: {self.period}",
            f"Run: {self.run_id}",
            f"Step: {self.step or 'none'}",
            f"Reason: {reason}",
        ]
        if self.more_failed:
            lines.append(f"Also failed: {', '.join(self.more_failed)}")
        return "\n".join([*lines, "", *self._undone_lines(), "", *self._rerun_lines()])

    def _undone_lines(self) -> list[str]:
        if self.published:
            return ["Undone: nothing; the figures were published before and stay."]
        if not self.undone:
            return ["Undone: nothing yet; the janitor sees to it."]
        return ["Undone:", *(f"  {entry.step}: {entry.outcome}" for entry in self.undone)]

    def _rerun_lines(self) -> list[str]:
        if self.step in (None, "init"):
            how = "trigger the report again for the period"
        elif self.step == "await_sources":
            how = "mend the cause, then clear the fetch of the source named above, with its "
            how += "downstream tasks"
        else:
            how = f"mend the cause, then clear {self.step} with its downstream tasks"
        return [f"To run it again: {how}.", f"Open: {self.url}"]


@dataclass(frozen=True)
class Shortfall:
    """A release that was published without an optional source.

    Attributes:
        title: what people call the report.
        period: period key.
        version: version of the release.
        missing: sources left out, with the reason.
        url: the run's page in Airflow.
    """

    title: str
    period: str
    version: int
    url: str
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """One line for the subject of a mail."""
        return f"[incomplete] {self.title}, {self.period}: without {', '.join(self.missing)}"

    @property
    def text(self) -> str:
        """The whole message as plain text."""
        sources = [f"  {source}: {reason}" for source, reason in self.missing.items()]
        return "\n".join(
            [
                f"{self.title}, {self.period} was published as version {self.version} without:",
                *sources,
                "",
                "The columns of these sources are empty. Once they are back, clear their fetch",
                "with its downstream tasks for a complete version.",
                f"Open: {self.url}",
            ]
        )
