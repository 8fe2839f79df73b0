"""Releases as the API answers them."""

from datetime import datetime
from typing import Any

from pydantic import Field

from report_center.api.run_models import (
    Answer,
    Delivery,
    Failure,
    Progress,
    Run,
    Source,
    Step,
    Transition,
    Undo,
)
from report_center.records.checks import Kind


class File(Answer):
    """One file of a release."""

    name: str = Field(description="last part of its address below the release's `files/`")
    bytes: int | None
    sha256: str | None


class Release(Answer):
    """One published version."""

    release_id: int
    report: str
    period: str
    version: int = Field(description="1, 2, … per period and params")
    params: dict[str, Any]
    is_default: bool = Field(description="whether all params have their default")
    is_current: bool = Field(description="whether it is what readers see")
    run_id: str
    published_at: datetime
    row_counts: dict[str, int]
    sources: dict[str, Any] = Field(description="per source its rows and further facts")
    missing: dict[str, str] = Field(description="optional sources it was made without, with why")
    set_aside: dict[str, int] = Field(description="rows that did not fit, per source")
    files: list[File]


class ReleaseList(Answer):
    """One page of releases, the newest first."""

    releases: list[Release] = Field(description="the releases")
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one")


class Check(Answer):
    """One check that a release has passed."""

    kind: Kind
    about: str = Field(description="the source or table; empty for the release as a whole")
    values: dict[str, Any] = Field(description="what was counted and what is allowed, by name")
    holds: bool | None = Field(
        description="false when the definition has changed since; null when numbers cannot tell"
    )


class RunDetail(Answer):
    """Everything about one run."""

    run: Run
    transitions: list[Transition] = Field(description="states of this life, the oldest first")
    kept: list[str] = Field(description="states passed in an earlier life, by steps that were kept")
    steps: list[Step]
    sources: list[Source]
    release: Release | None
    checks: list[Check] = Field(description="what the release was checked for")
    deliveries: list[Delivery]
    compensated: list[Undo]
    failure: Failure | None
    duplicate_of: str | None
    answered_by: str | None
    again: str | None
    progress: Progress
    expected_end: datetime | None
    unseen: list[str]


class Result(Answer):
    """What came of a run."""

    run: Run = Field(description="the run that does the work: of a duplicate the other one")
    asked_for: str = Field(description="the run that was asked for")
    is_over: bool = Field(description="whether this is final; if not, ask again")
    release: Release | None = Field(description="what it has published; null for nothing")
    answered_by: str | None = Field(
        description="of a duplicate in words: which release had the figures already"
    )
    failure: Failure | None = Field(description="why it failed; null for a run that did not")
    unseen: list[str] = Field(description="what could not be asked, in words")
