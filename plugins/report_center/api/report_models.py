"""Reports as the API answers them."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from report_center.api.run_models import Answer, Run


class Report(Answer):
    """One report type."""

    name: str
    title: str
    description: str
    tags: list[str]
    schedule_words: str
    timezone: str
    next_run_at: datetime | None
    is_paused: bool
    is_broken: bool = Field(description="whether its file has an error now")
    is_gone: bool = Field(description="whether its file was removed")
    sources: list[str]
    optional: list[str] = Field(description="sources it can go on without")


class ReportDetail(Report):
    """One report type with its definition."""

    definition: dict[str, Any] = Field(description="the definition as plain data")


class Unshown(Answer):
    """The newest version of a report, when readers do not see it."""

    why: Literal["rolled_back", "withdrawn"] = Field(
        description="`rolled_back`: they see an older version of the same. `withdrawn`: nothing"
    )
    version: int = Field(description="its version")
    period: str = Field(description="its period")


class ReportToday(Answer):
    """How one report is doing."""

    report: Report = Field(description="the report")
    last: Run | None = Field(description="its newest run; null when it never ran")
    next_at: datetime | None = Field(description="when the schedule starts it; null for never")
    is_late: bool = Field(description="whether a due run has not started, or takes too long")
    expected_end: datetime | None = Field(description="of the run under way; null when unknown")
    version: int | None = Field(
        description="what readers see of the newest period of which they see something"
    )
    period: str | None = Field(description="that period; null when they see nothing")
    published_at: datetime | None = Field(description="when that version was published")
    unshown: Unshown | None = Field(
        description="the newest version, when it was rolled back or withdrawn; null otherwise"
    )
    success_rate: float | None = Field(
        description="of the runs due in the last 30 days, 0 to 1; a backfill of earlier periods "
        "is not counted"
    )


class ReportList(Answer):
    """One page of reports, by name."""

    reports: list[ReportToday] = Field(description="the reports")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one")
    unseen: list[str] = Field(description="what could not be asked, in words")
