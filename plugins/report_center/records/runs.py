"""Runs: the newest first, by report, state, period, and who triggered them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True)
class RunRow:
    """One run, as a list shows it.

    Attributes:
        number: Airflow's own number of it; later runs have larger ones.
        report: name of the report.
        title: what people call the report.
        run_id: Airflow's run id, unique within the report.
        state: the one state of R3, see `reporting.core.states.state_of`.
        is_over: whether nothing more will happen.
        is_duplicate: whether it ended at once because another run does the same.
        period: period key; before `init` has run what was asked for; None when that is unknown.
        params: every param, or before `init` has run those that were sent; secret ones hidden.
        triggered_by: name of the user who triggered it; None for nobody.
        how: what started it, in Airflow's words: `ui`, `rest_api`, `cli`, `timetable`, `asset`,
            `backfill`, `operator` or `test`; None when that is unknown.
        run_after: when it was due.
        queued_at: when it was put in line.
        started_at: first moment of work of its last life.
        ended_at: last moment.
        seconds: how long it took, or has taken until now.
        clear_number: how often tasks of it were cleared.
        steps: Airflow's state per task; None for one that was not scheduled yet.
        version: the version it has published; None when it has not, or nobody can tell now.
        missing: optional sources that version was made without.
        set_aside: how many rows did not fit and were set aside.
        sent: what it was triggered with, as it was sent. It may hold secrets: to compare, not to
            show.
        asked: `params` with the secret ones; to compare, not to show.
    """

    number: int
    report: str
    title: str
    run_id: str
    state: str
    is_over: bool
    is_duplicate: bool
    period: str | None
    params: Mapping[str, Any]
    triggered_by: str | None
    how: str | None
    run_after: datetime
    queued_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None
    seconds: float | None
    clear_number: int
    steps: Mapping[str, str | None]
    version: int | None
    missing: tuple[str, ...] = ()
    set_aside: int = 0
    sent: Mapping[str, Any] = field(default_factory=dict, repr=False)
    asked: Mapping[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class RunsWanted:
    """Which runs are listed.

    Attributes:
        report: only of this report.
        state: only in this state of R3; `FETCHING_DATA` stands for that of any source.
        period_from: only of this period or later ones, as a day or a month.
        period_to: only of this period or earlier ones.
        triggered_by: only those this user has triggered.
        how: only those started so, see `RunRow.how`.
        before: only those with a smaller `number`: where the page before has ended.
        limit: how many at most.
    """

    report: str | None = None
    state: str | None = None
    period_from: str | None = None
    period_to: str | None = None
    triggered_by: str | None = None
    how: str | None = None
    before: int | None = None
    limit: int = 50


@dataclass(frozen=True)
class RunsPage:
    """One page of runs.

    Attributes:
        runs: the newest first.
        next_before: `before` of the next page; None on the last one.
        unseen: what could not be asked, in words.
    """

    runs: tuple[RunRow, ...]
    next_before: int | None
    unseen: tuple[str, ...] = ()
