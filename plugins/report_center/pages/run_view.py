"""What the page of one run shows."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from report_center.pages.badges import (
    BAD,
    FETCHING,
    GOOD,
    IDLE,
    SIGNS,
    Badge,
    run_badge,
    state_text,
    step_badge,
)
from report_center.pages.check_lines import CheckLine, check_lines
from report_center.pages.decisions import again_words, answer_words
from report_center.pages.formats import Formats
from report_center.pages.marks import run_marks
from report_center.pages.plain_values import plain_pairs, result_text
from report_center.pages.runs_view import doing
from report_center.pages.started_by import started_by
from report_center.pages.state_path import BROKEN, DONE, NOW, PathState, state_path
from report_center.pages.unseen import unseen_texts
from report_center.records.failure import FailureRow
from report_center.records.releases import ReleaseRow
from report_center.records.run import DeliveryRow, RunView, SourceRow, StepRow, UndoRow
from report_center.records.runs import RunRow
from reporting.core.states import FETCH_PREFIX

STANDING_SIGNS = {DONE: "check", NOW: "run", BROKEN: "cross"}


@dataclass(frozen=True)
class PathLine:
    """One state to draw, with its sources if it is the one that fetches."""

    place: PathState
    text: str
    sign: str
    sources: tuple[Badge, ...]


@dataclass(frozen=True)
class SourceLine:
    """One source: what is known of it, its badge, what it waits for, and its manifest's facts."""

    source: SourceRow
    badge: Badge
    waits: str | None
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class StepLine:
    """One step that is not a fetch."""

    step: StepRow
    name: str
    badge: Badge
    result: str


@dataclass(frozen=True)
class Line:
    """A receipt or an entry of the ledger, with its badge."""

    row: DeliveryRow | UndoRow
    badge: Badge


@dataclass(frozen=True)
class RunPage:
    """The page.

    Attributes:
        run: the run as a list shows it.
        zone: time zone of its report.
        badge: its state.
        marks: what it went on without.
        news: one sentence for who listens.
        by: who or what started it.
        params: params that have a value.
        doing: what it does now, in words.
        expected_end: when it should have ended.
        main: the way to success.
        undoing: the other way out, if it takes that.
        failure: why it failed.
        next_step: what to do about that.
        again: what was decided about running it again.
        duplicate_of: the run that does the same.
        answered_by: the release that answers it.
        sources: its sources.
        steps: its other steps, in the order of the work.
        release: what it has published.
        checks: what that was checked for.
        no_release: why there is nothing, in words.
        deliveries: who was sent it.
        compensated: what was undone.
        unseen: what could not be asked, in words.
    """

    run: RunRow
    zone: str
    badge: Badge
    marks: tuple[Badge, ...]
    news: str
    by: str
    params: tuple[tuple[str, str], ...]
    doing: str | None
    expected_end: datetime | None
    main: tuple[PathLine, ...]
    undoing: tuple[PathLine, ...]
    failure: FailureRow | None
    next_step: str
    again: str | None
    duplicate_of: str | None
    answered_by: str | None
    sources: tuple[SourceLine, ...]
    steps: tuple[StepLine, ...]
    release: ReleaseRow | None
    checks: tuple[CheckLine, ...]
    no_release: str
    deliveries: tuple[Line, ...]
    compensated: tuple[Line, ...]
    unseen: tuple[str, ...]


def run_page(fmt: Formats, view: RunView, zone: str) -> RunPage:
    """Return the page of a run whose report lives in a zone."""
    texts, run = fmt.texts, view.run
    badge = run_badge(texts, run.state, is_duplicate=run.is_duplicate)
    main, undoing = _path(fmt, view)
    return RunPage(
        run=run,
        zone=zone,
        badge=badge,
        marks=run_marks(texts, run),
        news=texts("run.news", title=run.title, state=badge.text),
        by=started_by(texts, run),
        params=plain_pairs(run.params),
        doing=None if run.is_over else doing(fmt, view.progress),
        expected_end=None if run.is_over else view.expected_end,
        main=main,
        undoing=undoing,
        failure=view.failure,
        next_step=next_step(fmt, view.failure) if view.failure else "",
        again=_again(fmt, view, zone),
        duplicate_of=view.duplicate_of,
        answered_by=answer_words(fmt, view.answer, zone) if view.answer else None,
        sources=tuple(_source(fmt, source) for source in view.sources),
        steps=tuple(_step(fmt, one) for one in view.steps if not _is_fetch(one)),
        release=view.release,
        checks=check_lines(fmt, view.checks),
        no_release=texts("run.no_release" if run.is_over else "run.no_release_yet"),
        deliveries=tuple(Line(row, _sent(fmt, row)) for row in view.deliveries),
        compensated=tuple(Line(row, _undone(fmt, row)) for row in view.compensated),
        unseen=unseen_texts(texts, view.unseen),
    )


def next_step(fmt: Formats, failure: FailureRow) -> str:
    """Return what to do about a failure."""
    steps = ", ".join(failure.to_clear)
    key = f"remedy.{failure.remedy}"
    known = key if fmt.texts.knows(key) else "remedy.trigger"
    return fmt.texts(known, steps=steps, button=fmt.texts("act.rerun_failed"))


def _again(fmt: Formats, view: RunView, zone: str) -> str | None:
    """Return the decision as the warehouse knows it now, else as the run has left it."""
    return again_words(fmt, view.plan, zone) if view.again and view.plan else view.again


def _is_fetch(step: StepRow) -> bool:
    return step.name.startswith(FETCH_PREFIX)


def _path(fmt: Formats, view: RunView) -> tuple[tuple[PathLine, ...], tuple[PathLine, ...]]:
    path = state_path(view.run.state, view.transitions, view.kept, is_over=view.run.is_over)
    sources = tuple(_short(fmt, source) for source in view.sources)
    return (
        tuple(_path_line(fmt, one, sources) for one in path.main),
        tuple(_path_line(fmt, one, ()) for one in path.undoing),
    )


def _path_line(fmt: Formats, one: PathState, sources: tuple[Badge, ...]) -> PathLine:
    shown = sources if one.state == FETCHING else ()
    sign = STANDING_SIGNS.get(one.standing, "skip")
    return PathLine(one, state_text(fmt.texts, one.state), sign, shown)


def _short(fmt: Formats, source: SourceRow) -> Badge:
    """Return a source's name with the colour and sign of its state."""
    state = step_badge(fmt.texts, source.step.state)
    return Badge(state.tone, state.sign, source.name, state.text)


def _source(fmt: Formats, source: SourceRow) -> SourceLine:
    wait = source.waits_for
    waits = None
    if wait is not None:
        key = f"wait.{wait.kind}" if wait.what else f"wait.{wait.kind}_unknown"
        waits = fmt.texts(key, what=wait.what) if fmt.texts.knows(key) else wait.what
    badge = step_badge(fmt.texts, source.step.state)
    return SourceLine(source, badge, waits, plain_pairs(source.facts))


def _step(fmt: Formats, step: StepRow) -> StepLine:
    key = f"step.{step.name}"
    name = fmt.texts(key) if fmt.texts.knows(key) else step.name
    result = result_text(fmt, step.result) if isinstance(step.result, Mapping) else ""
    return StepLine(step, name, step_badge(fmt.texts, step.state), result)


def _sent(fmt: Formats, row: DeliveryRow) -> Badge:
    tone = GOOD if row.is_sent else BAD
    key = "run.sent" if row.is_sent else "run.not_sent"
    return Badge(tone, SIGNS[tone], fmt.texts(key), key)


def _undone(fmt: Formats, row: UndoRow) -> Badge:
    tone = GOOD if row.is_done else IDLE
    key = "run.is_undone" if row.is_done else "run.is_open"
    return Badge(tone, SIGNS[tone], fmt.texts(key), key)
