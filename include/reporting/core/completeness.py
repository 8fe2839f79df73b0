"""Whether the sources of a run are complete, may still come, or can no longer come."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.core.states import BROKEN, FINISHED, TaskStates, fetch_task

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
class Outlook:
    """What is known of all sources.

    Attributes:
        pending: sources that may still come.
        lost: sources the run cannot go on without, with the reason: required ones that can no
            longer come, and any that had come and whose staged data is gone.
        missing: other optional sources that can no longer come, with the reason.
    """

    pending: tuple[str, ...]
    lost: Mapping[str, str]
    missing: Mapping[str, str]

    @property
    def is_complete(self) -> bool:
        """Whether the run can go on."""
        return not self.pending and not self.lost


def outlook_on(
    sources: Sequence[Expected],
    states: TaskStates,
    manifest_of: Callable[[str], Manifest | None],
) -> Outlook:
    """Judge every source by the state of its fetch and by what it has committed.

    Args:
        sources: all sources of the report.
        states: state per task of the run.
        manifest_of: reads the manifest of a source; called only after its fetch succeeded.
    """
    state = {source.name: states.get(fetch_task(source.name)) for source in sources}
    pending = tuple(name for name in state if state[name] not in FINISHED)
    faults = {
        source.name: fault
        for source in sources
        if source.name not in pending
        and (fault := _fault(source, state[source.name], manifest_of)) is not None
    }
    optional = {source.name for source in sources if not source.required}
    # A source that never failed must not be left out of a release that had it.
    spared = {name for name in optional & set(faults) if faults[name] != _gone(name)}
    return Outlook(
        pending,
        lost={name: fault for name, fault in faults.items() if name not in spared},
        missing={name: fault for name, fault in faults.items() if name in spared},
    )


def _gone(source: str) -> str:
    return f"its fetch succeeded, yet its staged data is gone; clear {fetch_task(source)} too"


def _fault(
    source: Expected, state: str | None, manifest_of: Callable[[str], Manifest | None]
) -> str | None:
    if state in BROKEN:
        return "its fetch failed or was killed"
    if state != "success":
        return f"its fetch was {state}"
    manifest = manifest_of(source.name)
    if manifest is None:
        return _gone(source.name)
    if manifest.rows < source.min_rows:
        return f"{manifest.rows} rows; at least {source.min_rows} are due"
    return None
