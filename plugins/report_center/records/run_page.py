"""Puts together everything about one run; each part may be missing, and then it is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.aftermath import InWarehouse, in_warehouse
from report_center.records.checks import checks_of
from report_center.records.definitions import definitions
from report_center.records.failure import Aftermath, failure_row
from report_center.records.progress import RunProgress, run_progress
from report_center.records.published import life_of
from report_center.records.run import AnswerRow, RunView, StepRow
from report_center.records.run_list import one_row
from report_center.records.run_sources import source_rows, staged
from report_center.records.run_steps import Left, left_by, step_rows
from report_center.records.transitions import way_of
from report_center.records.usual import expected_end, usual_seconds
from reporting.core.airflow_names import DUPLICATE_OF, FAILURE, PUBLISHED_ALREADY, RUN_AGAIN
from reporting.core.already_published import AlreadyPublished, already_published
from reporting.core.states import COMPENSATE, INIT, STORE
from reporting.core.warehouse.ledger import Entry

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere
    from report_center.records.failure import FailureRow
    from report_center.records.releases import ReleaseRow
    from report_center.records.runs import RunRow


@dataclass(frozen=True)
class InAirflow:
    """What Airflow's database knows of one run."""

    run: RunRow
    steps: Sequence[StepRow]
    left: Left
    definition: Mapping[str, Any]
    end: datetime | None


def run_view(session: Session, elsewhere: Elsewhere, report: str, run_id: str) -> RunView | None:
    """Return everything about a run, or None when there is no such run.

    Args:
        session: of Airflow's database.
        elsewhere: warehouse and store.
        report: name of the report.
        run_id: Airflow's run id.
    """
    known = _in_airflow(session, report, run_id)
    if known is None:
        return None
    told = elsewhere.warehouse(lambda at: in_warehouse(at, known.run), InWarehouse())
    released = told.release.sources if told.release else {}
    found = staged(elsewhere, life_of(known.run), known.steps, released)
    sources = source_rows(known.steps, known.definition, found)
    run = _published(known.run, told.release)
    answered = _answered_by(known)
    way = way_of(run, known.steps, [source.name for source in sources])
    return RunView(
        run=run,
        transitions=way.own,
        steps=tuple(known.steps),
        sources=sources,
        release=told.release,
        deliveries=told.deliveries,
        compensated=told.undone,
        failure=_failure(known, told),
        duplicate_of=known.left.get((INIT, DUPLICATE_OF)) if run.is_duplicate else None,
        answered_by=answered.text if answered else None,
        again=_again(known),
        progress=run_progress(session, run, known.steps, known.end),
        expected_end=known.end,
        unseen=tuple(elsewhere.unseen),
        kept=way.kept,
        checks=checks_of(known.definition, told.release) if told.release else (),
        plan=told.plan,
        answer=_answer(answered),
    )


def progress(session: Session, report: str, run_id: str) -> RunProgress | None:
    """Return how far a run is, or None when there is no such run; asks Airflow's database only."""
    known = _in_airflow(session, report, run_id)
    return None if known is None else run_progress(session, known.run, known.steps, known.end)


def _in_airflow(session: Session, report: str, run_id: str) -> InAirflow | None:
    run = one_row(session, report, run_id)
    if run is None:
        return None
    left = left_by(session, run.number)
    steps = step_rows(session, run, left)
    usual = {} if run.is_over else usual_seconds(session, [report])
    definition = definitions(session, [report]).get(report, {})
    return InAirflow(run, steps, left, definition, expected_end(run, usual.get(report)))


def _published(run: RunRow, release: ReleaseRow | None) -> RunRow:
    if release is None:
        return run
    set_aside = sum(release.set_aside.values())
    missing = tuple(release.missing)
    return replace(run, version=release.version, missing=missing, set_aside=set_aside)


def _failure(known: InAirflow, told: InWarehouse) -> FailureRow | None:
    run = known.run
    if run.state not in ("FAILED", "COMPENSATING"):
        return None
    entries = [Entry(undo.step, undo.outcome, undo.is_done) for undo in told.undone]
    reasons = {task: str(left) for (task, key), left in known.left.items() if key == FAILURE}
    optional = [s["name"] for s in known.definition.get("sources", ()) if not s["required"]]
    is_published = told.release is not None or run.steps.get(STORE) == "success"
    after = Aftermath(reasons, optional, entries, is_published, _again(known))
    return failure_row(run, after)


def _again(known: InAirflow) -> str | None:
    if known.run.state != "FAILED":
        return None
    found = known.left.get((COMPENSATE, RUN_AGAIN))
    return None if found is None else str(found)


def _answered_by(known: InAirflow) -> AlreadyPublished | None:
    found = known.left.get((INIT, PUBLISHED_ALREADY)) if known.run.is_duplicate else None
    return None if found is None else already_published(found)


def _answer(found: AlreadyPublished | None) -> AnswerRow | None:
    if found is None:
        return None
    at = datetime.fromisoformat(found.published_at)
    return AnswerRow(found.version, found.run_id, at, found.missing)
