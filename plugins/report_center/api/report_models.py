"""Reports as the API answers them."""

from datetime import datetime
from typing import Any

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


class ReportToday(Answer):
    """How one report is doing."""

    report: Report
    last: Run | None
    next_at: datetime | None
    is_late: bool
    expected_end: datetime | None
    version: int | None
    period: str | None
    published_at: datetime | None
    success_rate: float | None = Field(description="of the last 30 days, 0 to 1")


class ReportList(Answer):
    """One page of reports, by name."""

    reports: list[ReportToday]
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one")
    unseen: list[str] = Field(description="what could not be asked, in words")
