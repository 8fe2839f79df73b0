"""The states of a run as a path to draw: where it was, where it is, what lies ahead (R3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from report_center.pages.badges import FETCHING
from report_center.records.transitions import Transition

MAIN = ("INIT", FETCHING, "DATA_AGGREGATED", "CALCULATING", "STORING_RESULT", "SUCCESS")
UNDOING = ("COMPENSATING", "FAILED")
LAST = ("SUCCESS", "FAILED")
DONE, NOW, AHEAD, BROKEN, NEVER = "done", "now", "ahead", "broken", "never"
# From when to when the run was in a state.
Span = tuple[datetime | None, datetime | None]
PASSED: Span = (None, None)


@dataclass(frozen=True)
class PathState:
    """One state of the path.

    Attributes:
        state: the state of R3; `FETCHING_DATA` for all sources together.
        standing: `done`, `now`, `ahead`, `broken` (the run left the path here) or `never` (it
            will not come there).
        at: when it was reached in this life; None when it was not, or in an earlier one.
        seconds: how long the run was in it; None while it is, and for a last state.
    """

    state: str
    standing: str
    at: datetime | None
    seconds: float | None


@dataclass(frozen=True)
class StatePath:
    """The whole path.

    Attributes:
        main: from the beginning to success.
        undoing: the other way out; empty unless the run takes it.
    """

    main: tuple[PathState, ...]
    undoing: tuple[PathState, ...]


def state_path(
    state: str, transitions: Sequence[Transition], kept: Sequence[str] = (), *, is_over: bool
) -> StatePath:
    """Return the path of a run.

    Args:
        state: where it is now.
        transitions: its states of this life.
        kept: those it passed in an earlier one.
        is_over: whether nothing more will happen.
    """
    now = _shared(state)
    is_lost = now in UNDOING
    reached = {**dict.fromkeys(map(_shared, kept), PASSED), **_reached(transitions)}
    main = tuple(_place(name, now, reached, is_lost=is_lost, is_over=is_over) for name in MAIN)
    if not is_lost:
        return StatePath(main, ())
    left = next((name for name in reversed(MAIN) if name in reached), None)
    main = tuple(_with(one, BROKEN) if one.state == left else one for one in main)
    undoing = tuple(
        _place(name, now, reached, is_lost=False, is_over=is_over)
        for name in UNDOING
        if name in reached or name == now or not is_over
    )
    return StatePath(main, undoing)


def _place(
    name: str,
    now: str,
    reached: Mapping[str, Span],
    *,
    is_lost: bool,
    is_over: bool,
) -> PathState:
    at, until = reached.get(name, PASSED)
    standing = DONE if name in reached else NEVER if is_lost else AHEAD
    if name == now:
        standing = (BROKEN if name == "FAILED" else DONE) if is_over or name in LAST else NOW
    elif standing == AHEAD and is_over:
        standing = NEVER
    return PathState(name, standing, at, _seconds(name, at, until))


def _seconds(name: str, at: datetime | None, until: datetime | None) -> float | None:
    if name in LAST or at is None or until is None:
        return None
    return (until - at).total_seconds()


def _reached(transitions: Sequence[Transition]) -> dict[str, Span]:
    """Return from when to when the run was in each state; the sources are one state."""
    found: dict[str, Span] = {}
    for one in transitions:
        name = _shared(one.state)
        since = found[name][0] if name in found else one.at
        found[name] = (since, one.until)
    return found


def _shared(state: str) -> str:
    return FETCHING if state.startswith(FETCHING) else state


def _with(one: PathState, standing: str) -> PathState:
    return PathState(one.state, standing, one.at, one.seconds)
