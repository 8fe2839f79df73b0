"""What one sweep of a clean-up remembers: who has kept it waiting for nothing.

A far side that does not answer is waited for once. Whatever else is to be asked of it in the same
sweep fails at once, so that it holds up its own and nobody else's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from reporting.core.deadline import NEVER, Deadline
from reporting.errors import TransientError

# What fails sooner, such as a refusal, keeps nobody waiting and may be of one request alone.
BEARABLE_SECONDS = 3.0


@dataclass(frozen=True)
class Sweep:
    """One sweep over much that is to be asked of others.

    Attributes:
        deadline: after it nobody is asked any more.
        bearable: seconds that a failure may take; who takes longer is not asked again.
    """

    deadline: Deadline = NEVER
    bearable: float = BEARABLE_SECONDS
    _silent: set[str] = field(default_factory=set, init=False, repr=False)

    def ask(self, conn_id: str, act: Callable[[], None]) -> None:
        """Do what asks the far side of a connection.

        Raises:
            TransientError: it has kept this sweep waiting before, or the time is over; nothing was
                asked.
            Exception: what `act` raises.
        """
        if conn_id in self._silent:
            raise TransientError(
                f"Connection {conn_id!r} did not answer earlier in this sweep; it is asked again "
                "in the next."
            )
        if self.deadline.is_over():
            raise TransientError(
                f"Connection {conn_id!r} was not asked: the time of this sweep is over."
            )
        begun = time.monotonic()
        try:
            act()
        except Exception:
            if time.monotonic() - begun > self.bearable:
                self._silent.add(conn_id)
            raise
