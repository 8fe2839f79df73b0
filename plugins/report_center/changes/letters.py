"""Replays or discards dead letters, and notes that in Airflow's audit log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from report_center.changes.audit import note
from reporting.airflow_edge.open_dead_letters import broker_of_dead_letters, open_dead_letters
from reporting.airflow_edge.runs_in_database import run_under_way
from reporting.core.service.dead_letters import refusals
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.service.dead_letters import DeadLetters

Act = Literal["replay", "discard"]


def settled(act: Act, numbers: Sequence[int], user: str) -> dict[int, str]:
    """Do it to each letter; return those it was refused for, with the reason.

    It blocks: use it in a thread.

    Raises:
        TransientError: the broker is away, or this installation has none.
    """
    with open_dead_letters(user) as letters:
        do = _replayed(letters) if act == "replay" else letters.discard

        def noted(number: int) -> None:
            do(number)
            letter = letters.one(number)
            facts = {"dead_letter": number, "source": letter.source}
            note(user, f"{act}_dead_letter", letter.report, facts, letter.run_id)

        return refusals(noted, numbers)


def _replayed(letters: DeadLetters) -> Callable[[int], None]:
    broker = broker_of_dead_letters()
    if broker is None:
        raise TransientError("This installation has no connection to a broker.")
    return partial(letters.replay, broker, under_way=run_under_way)
