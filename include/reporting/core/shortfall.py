"""What is said of a release that was published without something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reporting.core.rerun_text import clear_command
from reporting.core.states import fetch_task

REASON_SHOWN = 200  # characters of a reason, for people who only read the figures


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
        url: the run's page in Airflow.
        missing: sources left out, with the reason.
        quarantined: sources of which rows were set aside, and how many.
        center_url: the run's page in the report center, where it is to be told.
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
    center_url: str | None = None

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
        end += [f"Report center: {self.center_url}"] if self.center_url else []
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


def delivery_text(
    title: str, missing: Mapping[str, str], quarantined: Mapping[str, int]
) -> tuple[str, str]:
    """Return subject and text of the mail that brings the files.

    Args:
        title: names report, period and version.
        missing: sources left out, with the reason.
        quarantined: sources of which rows were set aside, and how many.
    """
    lines = [title, "", "The files are attached."]
    if not missing and not quarantined:
        return title, "\n".join(lines)
    lines += ["", "The figures are incomplete. They were made without:"]
    lines += [f"  {source}: {_shortened(reason)}" for source, reason in missing.items()]
    lines += [f"  {_rows(*found)}, {_set_aside(found[1])}" for found in quarantined.items()]
    lines += ["Columns that come from a missing source are empty."] if missing else []
    return f"{title}, incomplete", "\n".join(lines)


def _shortened(reason: str) -> str:
    words = " ".join(reason.split())
    return words if len(words) <= REASON_SHOWN else f"{words[:REASON_SHOWN]}…"


def _set_aside(count: int) -> str:
    return f"set aside because {'it' if count == 1 else 'they'} did not fit"


def _rows(source: str, count: int) -> str:
    return f"{count} {'row' if count == 1 else 'rows'} of {source}"
