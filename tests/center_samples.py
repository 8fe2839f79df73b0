"""Records of the report center as tests show them: plausible ones, which a test may change."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from report_center.records.checks import checks_of
from report_center.records.failure import FailureRow
from report_center.records.progress import RunProgress, StepProgress
from report_center.records.releases import FileRow, ReleaseRow
from report_center.records.reports import ReportRow
from report_center.records.run import DeliveryRow, RunView, SourceRow, StepRow, UndoRow, Wait
from report_center.records.runs import RunRow
from report_center.records.today import DayDuration, Today, TodayRow, Took
from report_center.records.transitions import Transition
from report_center.records.versions import VersionRow, VersionsPage
from tests.center_definition import DEFINITION, ZONE

NOW = datetime(2026, 3, 5, 11, 4, 30, tzinfo=UTC)
DAY = date(2026, 3, 5)
RUN_ID = "scheduled__2026-03-05T11:00:00+00:00"
SOURCES = ("flights", "weather", "planes", "airlines")
STEPS = ("init", *(f"fetch_{name}" for name in SOURCES), "await_sources", "compute", "store")


def report(name: str = "airline_on_time", **changes: Any) -> ReportRow:
    """Return a report."""
    made = ReportRow(
        name=name,
        title="Airline on-time performance",
        description="Airline on-time performance",
        tags=("flights",),
        schedule_words="daily at 06:00 America/New_York",
        next_run_at=NOW + timedelta(hours=23),
        is_paused=False,
        is_broken=False,
        is_gone=False,
        timezone=ZONE,
        sources=SOURCES,
        optional=("weather",),
        definition=DEFINITION,
    )
    return replace(made, **changes)


def run(**changes: Any) -> RunRow:
    """Return a run that has published."""
    made = RunRow(
        number=41,
        report="airline_on_time",
        title="Airline on-time performance",
        run_id=RUN_ID,
        state="SUCCESS",
        is_over=True,
        is_duplicate=False,
        period="2026-03-04",
        params={"carrier": None, "period": "2026-03-04"},
        triggered_by=None,
        how="timetable",
        run_after=NOW - timedelta(minutes=4),
        queued_at=NOW - timedelta(minutes=4),
        started_at=NOW - timedelta(seconds=200),
        ended_at=NOW - timedelta(seconds=158),
        seconds=41.7,
        clear_number=0,
        steps={**dict.fromkeys(STEPS, "success"), "deliver": "success", "compensate": "skipped"},
        version=3,
    )
    return replace(made, **changes)


def days(count: int = 30) -> tuple[DayDuration, ...]:
    """Return days up to `DAY`, some with a failed run."""
    return tuple(
        DayDuration(
            DAY - timedelta(days=back),
            None if back == 11 else 38.0 + (back * 7) % 13,
            0 if back == 11 else 1,
            1 if back in (11, 12) else 0,
        )
        for back in reversed(range(count))
    )


def today_row(**changes: Any) -> TodayRow:
    """Return a report that is well."""
    made = TodayRow(
        report=report(),
        last=run(),
        next_at=NOW + timedelta(hours=23),
        is_late=False,
        expected_end=None,
        version=3,
        period="2026-03-04",
        published_at=NOW - timedelta(seconds=160),
        success_rate=0.94,
        durations=days(),
        took=Took(39.0, 94.6),
    )
    return replace(made, **changes)


def today(*rows: TodayRow, unseen: tuple[str, ...] = ()) -> Today:
    """Return a day with these reports."""
    return Today(rows, unseen)


def step(name: str, state: str | None = "success", **changes: Any) -> StepRow:
    """Return a step."""
    began = state not in (None, "scheduled", "queued", "upstream_failed")
    made = StepRow(
        name=name,
        state=state,
        tries=1 if began else 0,
        max_tries=4,
        queued_at=NOW - timedelta(seconds=201),
        started_at=NOW - timedelta(seconds=200) if began else None,
        ended_at=NOW - timedelta(seconds=195) if state == "success" else None,
        seconds=5.2 if began else None,
        failure=None,
        result={"rows": {"carrier_day": 16}} if name == "compute" and began else None,
    )
    return replace(made, **changes)


def source(name: str, state: str | None = "success", **changes: Any) -> SourceRow:
    """Return a source."""
    is_staged = state == "success"
    made = SourceRow(
        name=name,
        kind="PostgresSource",
        is_required=name != "weather",
        step=step(f"fetch_{name}", state),
        rows=836_421 if is_staged else None,
        bytes=14_300_000 if is_staged else None,
        set_aside=0,
        facts={"snapshot": "2026-03-05T11:01:12Z", "expected": 836421} if is_staged else {},
        staged_at=NOW - timedelta(seconds=195) if is_staged else None,
        missing=None,
        waits_for=None,
    )
    return replace(made, **changes)


def release(**changes: Any) -> ReleaseRow:
    """Return a current version."""
    made = ReleaseRow(
        release_id=17,
        report="airline_on_time",
        period="2026-03-04",
        request_key="2026-03-04",
        version=3,
        params={"carrier": None},
        is_default=True,
        is_current=True,
        run_id=RUN_ID,
        published_at=NOW - timedelta(seconds=160),
        row_counts={"carrier_day": 16, "route_day": 1204},
        sources={"flights": {"rows": 836_421}},
        missing={},
        set_aside={},
        files=(
            FileRow("airline_on_time_2026-03-04.xlsx", "a/b.xlsx", 48_213, "a" * 64),
            FileRow("carrier_day_2026-03-04.csv", "a/b.csv", 1_942, "b" * 64),
        ),
    )
    return replace(made, **changes)


def version(**changes: Any) -> VersionRow:
    """Return a version with what it changed."""
    return replace(VersionRow(release(), {"carrier_day": 0, "route_day": 12}, 3), **changes)


def versions(*rows: VersionRow, next_before: int | None = None) -> VersionsPage:
    """Return a page of versions."""
    return VersionsPage(rows, next_before)


def transitions(*names: str, each: float = 8.0) -> tuple[Transition, ...]:
    """Return states that follow each other; the run is in the last one."""
    begin = NOW - timedelta(seconds=each * len(names))
    moments = [begin + timedelta(seconds=each * place) for place in range(len(names) + 1)]
    last = len(names) - 1
    return tuple(
        Transition(name, moments[place], None if place == last else moments[place + 1])
        for place, name in enumerate(names)
    )


def progress(**changes: Any) -> RunProgress:
    """Return how far a run is that fetches."""
    made = RunProgress(
        report="airline_on_time",
        run_id=RUN_ID,
        state="FETCHING_DATA_PLANES",
        is_over=False,
        elapsed=24.0,
        sources_ready=3,
        sources_total=4,
        steps=(StepProgress("fetch_planes", 1204, 88_000, NOW),),
        expected_end=NOW + timedelta(seconds=20),
    )
    return replace(made, **changes)


GOOD_WAY = (
    "INIT",
    "FETCHING_DATA_FLIGHTS",
    "FETCHING_DATA_PLANES",
    "DATA_AGGREGATED",
    "CALCULATING",
    "STORING_RESULT",
    "SUCCESS",
)


def run_view(**changes: Any) -> RunView:
    """Return everything about a run that has published."""
    made = RunView(
        run=run(),
        transitions=transitions(*GOOD_WAY),
        steps=(*(step(name) for name in (*STEPS, "deliver")), step("compensate", "skipped")),
        sources=tuple(source(name) for name in SOURCES),
        release=release(),
        deliveries=(DeliveryRow("email", "operations@example.com", False, True, 1, None, NOW),),
        compensated=(),
        failure=None,
        duplicate_of=None,
        answered_by=None,
        again=None,
        progress=progress(state="SUCCESS", is_over=True, steps=(), expected_end=None),
        expected_end=None,
        unseen=(),
        checks=checks_of(DEFINITION, release()),
    )
    return replace(made, **changes)


def fetching_view() -> RunView:
    """Return everything about a run that fetches, of which one source waits."""
    steps = {
        **dict.fromkeys(("init", "fetch_flights", "fetch_weather", "fetch_airlines"), "success"),
        "fetch_planes": "deferred",
        "await_sources": "deferred",
    }
    waiting = Wait("reply", "reports.replies.17", NOW - timedelta(seconds=20))
    names = (*STEPS, "deliver", "compensate")
    return run_view(
        run=run(state="FETCHING_DATA_PLANES", is_over=False, ended_at=None, version=None),
        transitions=transitions(*GOOD_WAY[:3]),
        steps=tuple(step(name, steps.get(name)) for name in names),
        sources=tuple(
            source(name, steps[f"fetch_{name}"], waits_for=waiting if name == "planes" else None)
            for name in SOURCES
        ),
        release=None,
        deliveries=(),
        progress=progress(),
        expected_end=NOW + timedelta(seconds=20),
    )


def failed_view(**changes: Any) -> RunView:
    """Return everything about a run that failed and was compensated."""
    reason = "ContractError: source weather: column delay is text; allowed: int32."
    steps = {"fetch_weather": "failed", "await_sources": "failed", "compute": "upstream_failed"}
    steps |= {"store": "upstream_failed", "deliver": "upstream_failed"}
    sources = tuple(source(name, steps.get(f"fetch_{name}", "success")) for name in SOURCES)
    made = run_view(
        run=run(state="FAILED", version=None, triggered_by="admin", how="ui"),
        transitions=transitions("INIT", "FETCHING_DATA_WEATHER", "COMPENSATING", "FAILED"),
        steps=tuple(
            step(name, steps.get(name, "success"), failure=reason if "weather" in name else None)
            for name in (*STEPS, "deliver", "compensate")
        ),
        sources=tuple(
            replace(one, step=replace(one.step, failure=reason)) if one.name == "weather" else one
            for one in sources
        ),
        release=None,
        deliveries=(),
        compensated=(
            UndoRow("fetch_weather", "removed 3 uncommitted parts", True, NOW),
            UndoRow("claim", "given back", True, NOW),
        ),
        failure=FailureRow("fetch_weather", reason, (), "clear", ("fetch_weather",), "…"),
    )
    return replace(made, **changes)
