"""Replays or discards dead letters, and notes that in Airflow's audit log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from report_center.changes.audit import note
from reporting.airflow_edge.open_dead_letters import demanded_broker, open_dead_letters
from reporting.airflow_edge.runs_in_database import run_under_way
from reporting.core.service.dead_letters import refusals

Act = Literal["replay", "discard"]


def settled(act: Act, numbers: Sequence[int], user: str) -> dict[int, str]:
    """Do it to each letter; return those it was refused for, with the reason.

    It blocks: use it in a thread.

    Raises:
        TransientError: the broker is away, or this installation has none.
    """
    with open_dead_letters(user) as letters:
        do: Callable[[int], None] = letters.discard
        if act == "replay":
            do = partial(letters.replay, demanded_broker(), under_way=run_under_way)

        def noted(number: int) -> None:
            do(number)
            letter = letters.one(number)
            facts = {"dead_letter": number, "source": letter.source}
            note(user, f"{act}_dead_letter", letter.report, facts, letter.run_id)

        return refusals(noted, numbers)
