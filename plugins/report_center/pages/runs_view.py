"""What the page *Runs* shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from report_center.pages.badges import FETCHING, Badge, run_badge, state_text
from report_center.pages.formats import Formats
from report_center.pages.marks import run_marks
from report_center.pages.started_by import started_by
from report_center.pages.unseen import unseen_texts
from report_center.records.progress import RunProgress
from report_center.records.reports import ReportRow
from report_center.records.runs import RunRow, RunsPage, RunsWanted

STATES = (
    "INIT",
    FETCHING,
    "DATA_AGGREGATED",
    "CALCULATING",
    "STORING_RESULT",
    "SUCCESS",
    "COMPENSATING",
    "FAILED",
)


@dataclass(frozen=True)
class RunLine:
    """One run.

    Attributes:
        run: the run.
        badge: its state.
        marks: what it went on without.
        zone: time zone of its report.
        by: who or what started it.
        took: how long it took, or has taken until now.
        doing: what it does now, in words; None when it is over or says nothing.
        progress: how far it is; None when it is over, or nobody can tell.
    """

    run: RunRow
    badge: Badge
    marks: tuple[Badge, ...]
    zone: str
    by: str
    took: str
    doing: str | None
    progress: RunProgress | None


@dataclass(frozen=True)
class Option:
    """One choice of a list."""

    value: str
    text: str
    is_chosen: bool


@dataclass(frozen=True)
class RunsView:
    """The page.

    Attributes:
        lines: the runs.
        running: how many of them are under way.
        wanted: what the reader looks for.
        is_filtered: whether that leaves any run out.
        reports: the reports to choose from.
        states: the states to choose from.
        next_before: where the next page begins; None on the last one.
        unseen: what could not be asked, in words.
    """

    lines: tuple[RunLine, ...]
    running: int
    wanted: RunsWanted
    is_filtered: bool
    reports: tuple[Option, ...]
    states: tuple[Option, ...]
    next_before: int | None
    unseen: tuple[str, ...]


def runs_view(
    fmt: Formats,
    page: RunsPage,
    wanted: RunsWanted,
    reports: Sequence[ReportRow],
    progress: Mapping[tuple[str, str], RunProgress],
) -> RunsView:
    """Return the page; `progress` is by report and run id."""
    zones = {report.name: report.timezone for report in reports}
    lines = tuple(
        _line(fmt, run, zones.get(run.report, "UTC"), progress.get((run.report, run.run_id)))
        for run in page.runs
    )
    filters = (wanted.report, wanted.state, wanted.period_from, wanted.period_to)
    return RunsView(
        lines=lines,
        running=sum(not line.run.is_over for line in lines),
        wanted=wanted,
        is_filtered=any((*filters, wanted.triggered_by)),
        reports=tuple(Option(one.name, one.title, one.name == wanted.report) for one in reports),
        states=tuple(
            Option(state, state_text(fmt.texts, state), state == wanted.state) for state in STATES
        ),
        next_before=page.next_before,
        unseen=unseen_texts(fmt.texts, page.unseen),
    )


def _line(fmt: Formats, run: RunRow, zone: str, progress: RunProgress | None) -> RunLine:
    return RunLine(
        run=run,
        badge=run_badge(fmt.texts, run.state, is_duplicate=run.is_duplicate),
        marks=run_marks(fmt.texts, run),
        zone=zone,
        by=started_by(fmt.texts, run),
        took=fmt.duration(run.seconds),
        doing=None if run.is_over or progress is None else doing(fmt, progress),
        progress=None if run.is_over else progress,
    )


def doing(fmt: Formats, progress: RunProgress) -> str | None:
    """Return what a run does now, e.g. `2 of 4 sources ready · fetch_flights: 1,204 rows`."""
    texts = fmt.texts
    words = []
    if progress.state.startswith(FETCHING):
        ready, total = progress.sources_ready, progress.sources_total
        words.append(texts("runs.sources_ready", ready=ready, total=total))
    for step in progress.steps:
        amounts = [texts.count("count.rows", step.rows)] if step.rows else []
        amounts += [fmt.size(step.bytes)] if step.bytes else []
        if amounts:
            words.append(f"{step.step}: {', '.join(amounts)}")
    return " · ".join(words) or None
