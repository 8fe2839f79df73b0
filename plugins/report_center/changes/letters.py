"""Replays or discards dead letters, and notes that in Airflow's audit log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from report_center.changes.audit import note
from reporting.airflow_edge.open_dead_letters import demanded_broker, settling_dead_letters
from reporting.airflow_edge.runs_in_database import run_under_way
from reporting.airflow_edge.web_problems import away_text
from reporting.core.service.dead_letters import DeadLetters, refusals
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.warehouse.dead_letters import DeadLetter

Act = Callable[[DeadLetters, int, str], None]


def settled(act: Act, numbers: Sequence[int], user: str) -> dict[int, str]:
    """Do it to each letter; return those it was not done to, with the reason.

    It blocks: use it in a thread.

    Raises:
        TransientError: what it takes is away from the first.
    """

    def do(number: int) -> None:
        try:
            act(letters, number, user)
        except Exception as error:
            if text := away_text(error):
                raise TransientError(text) from None
            raise

    with settling_dead_letters(user) as letters:
        return refusals(do, numbers)


def replay(letters: DeadLetters, number: int, user: str) -> None:
    """Send a message again to where it was for.

    Raises:
        TransientError: the broker is away, or this installation has none.
        TerminalError: nobody waits for it any more.
    """
    letters.replay(demanded_broker(), number, run_under_way)
    _noted(letters.one(number), "replay_dead_letter", user)


def discard(letters: DeadLetters, number: int, user: str) -> None:
    """Put a letter away and remove its message.

    Raises:
        TerminalError: it was replayed or discarded already.
    """
    letters.discard(number)
    _noted(letters.one(number), "discard_dead_letter", user)


def _noted(letter: DeadLetter, event: str, user: str) -> None:
    facts = {"dead_letter": letter.dead_letter_id, "source": letter.source}
    note(user, event, letter.report, facts, letter.run_id)
