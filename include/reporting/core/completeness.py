"""Whether a source is complete, may still come, or can no longer come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.core.states import BROKEN, FINISHED

if TYPE_CHECKING:
    from reporting.core.manifest import Manifest


@dataclass(frozen=True)
class Expected:
    """One source as the waiting step sees it.

    Attributes:
        name: source name.
        required: whether the run fails without it.
        min_rows: fewer rows and it counts as incomplete.
    """

    name: str
    required: bool
    min_rows: int


@dataclass(frozen=True)
class Verdict:
    """What is known of one source.

    Attributes:
        settled: nothing will change any more unless a task is cleared.
        fault: why it is not complete; None while it may still come, or when it is complete.
    """

    settled: bool
    fault: str | None = None


PENDING = Verdict(settled=False)
COMPLETE = Verdict(settled=True)


def verdict_on_task(state: str | None) -> Verdict:
    """Judge by the state of the fetch alone; a fetch that succeeded is judged by its manifest."""
    if state in BROKEN:
        return Verdict(settled=True, fault="its fetch failed or was killed")
    if state == "success":
        return COMPLETE
    if state in FINISHED:
        return Verdict(settled=True, fault=f"its fetch was {state}")
    return PENDING


def verdict_on_manifest(expected: Expected, manifest: Manifest | None) -> Verdict:
    """Judge what a fetch that succeeded has committed."""
    if manifest is None:
        return Verdict(settled=True, fault="its fetch succeeded, yet nothing is committed")
    if manifest.rows < expected.min_rows:
        fault = f"{manifest.rows} rows; at least {expected.min_rows} are due"
        return Verdict(settled=True, fault=fault)
    return COMPLETE
