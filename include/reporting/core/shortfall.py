"""What is said of a release that was published without something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reporting.core.rerun_text import clear_command
from reporting.core.states import fetch_task


@dataclass(frozen=True)
class Shortfall:
    """A release that was published without an optional source, or without rows of one.

    Attributes:
        title: what people call the report.
        report: its name.
        period: period key.
        run_id: Airflow's run id.
        release_id: the release.
        version: its version.
        missing: sources left out, with the reason.
        quarantined: sources of which rows were set aside, and how many.
        url: the run's page in Airflow.
    """

    title: str
    report: str
    period: str
    run_id: str
    release_id: int
    version: int
    url: str
    missing: Mapping[str, str] = field(default_factory=dict)
    quarantined: Mapping[str, int] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """One line for the subject of a mail."""
        without = [*self.missing, *(_rows(*found) for found in self.quarantined.items())]
        return f"[incomplete] {self.title}, {self.period}: without {', '.join(without)}"

    @property
    def text(self) -> str:
        """The whole message as plain text."""
        title = f"{self.title}, {self.period} was published as version {self.version} without:"
        sections = [self._missing_lines()] if self.missing else []
        sections += [self._quarantined_lines()] if self.quarantined else []
        again = clear_command(
            "reports", self.report, self.run_id, [fetch_task(source) for source in self._sources]
        )
        end = ["", "For a complete version, once the cause is mended:", f"  {again}"]
        lines = [line for section in sections for line in section]
        return "\n".join([title, *lines, *end, f"Open: {self.url}"])

    @property
    def _sources(self) -> list[str]:
        return list(dict.fromkeys([*self.missing, *self.quarantined]))

    def _missing_lines(self) -> list[str]:
        listed = [f"  {source}: {reason}" for source, reason in self.missing.items()]
        return [*listed, "Columns that come from there are empty."]

    def _quarantined_lines(self) -> list[str]:
        listed = [f"  {_rows(*found)}" for found in self.quarantined.items()]
        where = f"reporting.quarantined_row, release_id {self.release_id}"
        return [*listed, f"They did not fit and were set aside, each with its reason: {where}."]


def _rows(source: str, count: int) -> str:
    return f"{count} {'row' if count == 1 else 'rows'} of {source}"
