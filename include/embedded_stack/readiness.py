"""Waiting for a service, with an error that shows why it did not come."""

from collections import deque
from collections.abc import Callable
from pathlib import Path

from embedded_stack.conditions import wait_for
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.supervision import Supervisor

READY_SECONDS = 60.0
SHOWN_LINES = 5


def until_ready(
    layout: Layout, service: str, ready: Callable[[], bool], seconds: float = READY_SECONDS
) -> None:
    """Return when the service is ready.

    Raises:
        StackError: when it is not in time, or when the supervisor gave it up.
    """
    supervisor = Supervisor(layout)

    def look() -> bool | None:
        if ready():
            return True
        if _state(supervisor, service) == "FATAL":
            raise StackError(_report(layout, service, "ended at every start"))
        return None

    wait_for(
        look,
        seconds=seconds,
        otherwise=lambda: _report(
            layout, service, f"was not ready within {seconds:.0f} s ({_state(supervisor, service)})"
        ),
    )


def _state(supervisor: Supervisor, service: str) -> str:
    state = supervisor.states().get(service)
    return state.state if state else "no supervisor"


def _report(layout: Layout, service: str, what: str) -> str:
    log = layout.log / f"{service}.log"
    return f"{service} {what}. Its log is {log}, and ends with:\n{_last_lines(log)}"


def _last_lines(log: Path) -> str:
    if not log.exists():
        return "  (nothing)"
    with log.open(errors="replace") as file:
        return "".join(f"  {line}" for line in deque(file, SHOWN_LINES))
