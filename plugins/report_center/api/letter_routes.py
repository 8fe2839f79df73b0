"""The web routes of dead letters, below `/reports/api/dead-letters`.

All that waits on a database, a store or a broker is done in a thread of its own, apart from
those in which Airflow serves its UI.
"""

from asyncio import to_thread
from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field

from report_center.changes.letters import discard, replay
from reporting.airflow_edge.open_dead_letters import open_dead_letters
from reporting.airflow_edge.web_rights import (
    CHANGING,
    DATA,
    RUNS,
    Rights,
    RightsDep,
    Text,
    demand,
)
from reporting.core.service.dead_letters import DeadLetters, NoSuchLetterError
from reporting.core.warehouse.dead_letters import DeadLetter, Order, Wanted

LARGEST_PAGE = 1000
LARGEST_NUMBER = 2**63 - 1
State = Literal["waiting", "replayed", "discarded"]
Number = Annotated[int, Path(ge=1, le=LARGEST_NUMBER)]
router = APIRouter(prefix="/api/dead-letters")


class Asked(BaseModel):
    """What a list is asked for."""

    report: Text | None = None
    source: Text | None = None
    state: list[State] = ["waiting"]
    order: Order = "newest"
    limit: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 100
    offset: Annotated[int, Field(ge=0, le=LARGEST_NUMBER)] = 0


@router.get("")
async def list_letters(rights: RightsDep, asked: Annotated[Asked, Query()]) -> dict[str, Any]:
    """Return one page of the letters that the user may read."""

    def listed() -> dict[str, Any]:
        wanted = Wanted(rights.readable(), asked.report, asked.source, asked.state)
        with open_dead_letters() as letters:
            found = letters.listed(wanted, asked.order, asked.limit, asked.offset)
            total = letters.count(wanted)
        return {"dead_letters": [letter_json(one) for one in found], "total_entries": total}

    return await to_thread(listed)


@router.get("/{number}")
async def show_letter(rights: RightsDep, number: Number) -> dict[str, Any]:
    """Return one letter."""

    def shown() -> dict[str, Any]:
        with open_dead_letters() as letters:
            return letter_json(_readable(rights, letters, number))

    return await to_thread(shown)


@router.get("/{number}/payload")
async def show_payload(rights: RightsDep, number: Number) -> dict[str, Any]:
    """Return the beginning of a letter's message, without secrets; None when it is gone."""

    def shown() -> dict[str, Any]:
        with open_dead_letters() as letters:
            letter = _readable(rights, letters, number)
            demand(rights.may("GET", letter.report, DATA), f"see the data of {_of(letter)}")
            return {"bytes": letter.bytes, "beginning": letters.beginning(letter)}

    return await to_thread(shown)


@router.post("/{number}/replay", dependencies=CHANGING)
async def replay_letter(rights: RightsDep, number: Number) -> dict[str, Any]:
    """Send a message again to where it was for."""

    def replayed() -> dict[str, Any]:
        with open_dead_letters(rights.name) as letters:
            _editable(rights, letters, number)
            replay(letters, number, rights.name)
            return letter_json(letters.one(number))

    return await to_thread(replayed)


@router.post("/{number}/discard", dependencies=CHANGING)
async def discard_letter(rights: RightsDep, number: Number) -> dict[str, Any]:
    """Put a letter away and remove its message."""

    def discarded() -> dict[str, Any]:
        with open_dead_letters(rights.name) as letters:
            _editable(rights, letters, number)
            discard(letters, number, rights.name)
            return letter_json(letters.one(number))

    return await to_thread(discarded)


def letter_json(letter: DeadLetter) -> dict[str, Any]:
    """Return a letter as plain data; the message itself goes by reference."""
    return {**asdict(letter), "payload": letter.payload}


def _readable(rights: Rights, letters: DeadLetters, number: int) -> DeadLetter:
    """Return a letter; one that the user may not read is not there for them."""
    letter = letters.one(number)
    may_read = letter.report is not None and rights.may("GET", letter.report)
    if not (may_read or rights.may("GET", None)):
        raise NoSuchLetterError(f"There is no dead letter {number}.")
    return letter


def _editable(rights: Rights, letters: DeadLetters, number: int) -> None:
    letter = _readable(rights, letters, number)
    demand(rights.may("PUT", letter.report, RUNS), f"change the runs of {_of(letter)}")


def _of(letter: DeadLetter) -> str:
    return f"report {letter.report!r}" if letter.report else "every report"
