"""Runs as the API answers them; the records of the same names say what each field means."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Answer(BaseModel):
    """What is made of a record."""

    model_config = ConfigDict(from_attributes=True)


class Run(Answer):
    """One run."""

    report: str = Field(description="name of the report")
    title: str = Field(description="what people call the report")
    run_id: str = Field(description="Airflow's run id, unique within the report")
    state: str = Field(
        description="INIT, FETCHING_DATA_<SOURCE>, DATA_AGGREGATED, CALCULATING, STORING_RESULT, "
        "SUCCESS, COMPENSATING or FAILED"
    )
    is_over: bool = Field(description="whether nothing more will happen")
    is_duplicate: bool = Field(description="whether another run does, or has done, the same")
    period: str | None = Field(description="what it reports on; null when that is unknown yet")
    params: dict[str, Any] = Field(
        description="every param, or before init what was sent; secret ones hidden"
    )
    triggered_by: str | None = Field(description="user who triggered it; null for nobody")
    how: str | None = Field(description="ui, rest_api, cli, timetable, asset, backfill, …")
    run_after: datetime = Field(description="when it was due")
    queued_at: datetime | None = Field(description="when it was put in line")
    started_at: datetime | None = Field(description="first moment of work of its last life")
    ended_at: datetime | None = Field(description="last moment")
    seconds: float | None = Field(description="how long it took, or has taken until now")
    clear_number: int = Field(description="how often tasks of it were cleared")
    version: int | None = Field(description="version it published; null for none, or unknown")
    missing: list[str] = Field(description="optional sources that version was made without")
    set_aside: int = Field(description="rows that did not fit and were set aside, of all sources")


class RunList(Answer):
    """One page of runs, the newest first."""

    runs: list[Run]
    next_cursor: str | None = Field(description="`cursor` of the next page; null on the last one")
    unseen: list[str] = Field(description="what could not be asked, in words")


class Step(Answer):
    """One task of a run."""

    name: str
    state: str | None
    tries: int
    max_tries: int
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    seconds: float | None
    failure: str | None


class Wait(Answer):
    """What a source waits for."""

    kind: str = Field(description="slot, retry, job, reply or drop")
    what: str
    since: datetime | None


class Source(Answer):
    """One source of a run."""

    name: str
    kind: str
    is_required: bool
    step: Step
    rows: int | None
    bytes: int | None
    set_aside: int
    facts: dict[str, Any]
    staged_at: datetime | None
    missing: str | None
    waits_for: Wait | None


class Transition(Answer):
    """One state of a run."""

    state: str = Field(description="as in `Run`")
    at: datetime
    until: datetime | None


class Delivery(Answer):
    """One receipt."""

    channel: str
    recipient: str
    is_alert: bool
    is_sent: bool
    tries: int
    error: str | None
    tried_at: datetime


class Undo(Answer):
    """One line of the ledger of compensation."""

    step: str
    outcome: str
    is_done: bool
    undone_at: datetime


class Failure(Answer):
    """Why a run failed, and what to do."""

    step: str | None
    reason: str | None
    also_failed: list[str]
    remedy: str = Field(description="clear, params or trigger")
    to_clear: list[str]
    text: str = Field(description="the same in words, with the command")


class StepProgress(Answer):
    """What a running step has said last."""

    step: str
    rows: int
    bytes: int
    said_at: datetime


class Progress(Answer):
    """How far a run is."""

    report: str
    run_id: str
    state: str = Field(description="as in `Run`")
    is_over: bool
    elapsed: float | None = Field(description="seconds since it started")
    sources_ready: int
    sources_total: int
    steps: list[StepProgress]
    expected_end: datetime | None = Field(description="by the usual duration; null when unknown")
