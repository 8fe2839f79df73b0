"""What came of a run: published, refused, failed or a duplicate."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from reporting.cli import exit_codes
from reporting.cli.typed import command
from reporting.core.alert_text import Failure
from reporting.core.states import COMPENSATE, INIT, STORE
from reporting.core.warehouse.ledger import Entry
from reporting.core.warehouse.release import Release
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.cli.run_view import RunView

# As the alert lists them: from the last step back to the first.
UNDO_ORDER = (STORE, "request", "fetch", INIT)


def release_of(view: RunView) -> Release | None:
    """Return what the run has published, if anything."""
    store = view.task(STORE)
    if store is None or store.state != "success" or not store.result:
        return None
    found = store.result
    return Release(
        found["release_id"],
        found["version"],
        found["rows"],
        tuple(found["files"]),
        found["missing"],
        found["quarantined"],
    )


def reason_of(view: RunView) -> str | None:
    """Return the error of the task that broke the run, in words."""
    step = view.failed_step
    task = view.task(step) if step else None
    return task.failure if task else None


def undone_of(view: RunView) -> list[Entry]:
    """Return what the compensation undid, from the last step to the first."""
    task = view.task(COMPENSATE)
    done = task.result if task and task.state == "success" else None
    return in_undo_order(
        Entry(step, outcome, is_done=True) for step, outcome in (done or {}).items()
    )


def in_undo_order(entries: Iterable[Entry]) -> list[Entry]:
    """Sort as the alert does, whatever order Airflow or a repeated undo has left them in."""
    last = len(UNDO_ORDER)
    places = {step: place for place, step in enumerate(UNDO_ORDER)}
    return sorted(entries, key=lambda entry: (places.get(entry.step, last), entry.step))


def failure_of(view: RunView) -> Failure:
    """Return the failure as an alert would tell it."""
    step = view.failed_step
    return Failure(
        title=view.title,
        report=view.report,
        period=view.period or "unknown",
        run_id=view.run_id,
        step=step,
        reason=reason_of(view),
        undone=undone_of(view),
        published=release_of(view) is not None,
        url=view.url,
        more_failed=sorted(
            task.name for task in view.tasks if task.state == "failed" and task.name != step
        ),
        command=command(),
        states=view.task_states,
        again=view.again,
    )


def exit_code_of(view: RunView) -> int:
    """Return 0 only for figures that are published; 2 for params that were refused."""
    if view.state == "SUCCESS" and (release_of(view) or view.already):
        return exit_codes.OK
    refused = (reason_of(view) or "").startswith(InputError.__name__)
    if view.failed_step == INIT and refused:
        return exit_codes.REFUSED
    return exit_codes.FAILED


def has_failed(view: RunView) -> bool:
    """Say whether the run is over without having done its work; a duplicate had none."""
    return view.is_over and view.duplicate_of is None and exit_code_of(view) != exit_codes.OK
