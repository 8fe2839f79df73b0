"""The web routes of dead letters, below `/reports/api/dead-letters`."""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal, TypeVar

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field, ValidationInfo, field_validator

from report_center.api.asking import LETTERS, answer
from report_center.api.cursor import LetterCursor, letter_cursor, order_in, place_in
from report_center.api.letter_models import DeadLetter, LetterList, Payload
from report_center.api.problems import problems
from report_center.changes.letters import Act, discard, replay
from reporting.airflow_edge.open_dead_letters import reading_dead_letters, settling_dead_letters
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.uncollected_letters import uncollected
from reporting.airflow_edge.web_rights import (
    CHANGING,
    DATA,
    LARGEST_NUMBER,
    Rights,
    RightsDep,
    Text,
    demand,
    demand_may_change,
    whose,
)
from reporting.core.service.dead_letters import DeadLetters, NoSuchLetterError
from reporting.core.warehouse.dead_letters import DeadLetter as Letter
from reporting.core.warehouse.dead_letters import Order, Place, Wanted

LARGEST_PAGE = 1000
T = TypeVar("T")
State = Literal["waiting", "replayed", "discarded"]
Number = Annotated[int, Path(ge=1, le=LARGEST_NUMBER, description="`dead_letter_id` of the letter")]
router = APIRouter(prefix="/api/dead-letters", tags=["dead letters"])


class LettersAsked(BaseModel):
    """What a list is asked for."""

    report: Text | None = Field(None, description="only of this report")
    source: Text | None = Field(None, description="only of this source")
    state: list[State] = Field(["waiting"], description="only in one of these states")
    order: Order = Field("newest", description="by when they died last")
    limit: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 100
    cursor: LetterCursor | None = None

    @field_validator("cursor")
    @classmethod
    def _goes_on(cls, cursor: str | None, info: ValidationInfo) -> str | None:
        order = info.data.get("order")
        if cursor is not None and order is not None and order_in(cursor) != order:
            raise ValueError(f"is of another order than {order}; leave it out to begin anew")
        return cursor

    def wanted(self, readable: Sequence[str] | None) -> Wanted:
        """Return the same, as the core takes it."""
        beyond = place_in(self.cursor)
        return Wanted(readable, self.report, self.source, self.state, beyond)


@router.get(
    "", summary="Dead letters, page by page", response_model=LetterList, responses=problems()
)
async def list_letters(rights: RightsDep, asked: Annotated[LettersAsked, Query()]) -> Response:
    """Return one page of the dead letters you may read.

    Those of no known report are for who may see every DAG and the broker's connection.
    """

    def listed(more: int | None) -> Response:
        wanted = asked.wanted(rights.readable())
        try:
            with reading_dead_letters() as letters:
                found = letters.listed(wanted, asked.order, asked.limit + 1)
                total = letters.count(wanted)
        except NoSuchLetterError:
            found, total = [], 0
        return answer(LetterList, {**_page(found, total, asked), "uncollected": more})

    return await in_own_thread(LETTERS, listed, await uncollected())


def _page(found: Sequence[Letter], total: int, asked: LettersAsked) -> dict[str, object]:
    shown = found[: asked.limit]
    is_more = len(found) > asked.limit
    last = Place(shown[-1].last_at, shown[-1].dead_letter_id) if is_more else None
    cursor = letter_cursor(asked.order, last)
    return {"dead_letters": shown, "total_entries": total, "next_cursor": cursor}


@router.get(
    "/{number}", summary="One dead letter", response_model=DeadLetter, responses=problems(404)
)
async def show_letter(rights: RightsDep, number: Number) -> Response:
    """Return what is known of a dead letter; the message itself goes by reference."""
    return await _read(rights, number, lambda _, letter: answer(DeadLetter, letter))


@router.get(
    "/{number}/payload",
    summary="The message of a dead letter",
    response_model=Payload,
    responses=problems(404),
)
async def show_payload(rights: RightsDep, number: Number) -> Response:
    """Return the beginning of the message, without what could be a secret."""

    def shown(letters: DeadLetters, letter: Letter) -> Response:
        demand(rights.may("GET", letter.report, DATA), f"see the data of {whose(letter.report)}")
        return answer(Payload, {"bytes": letter.bytes, "beginning": letters.beginning(letter)})

    return await _read(rights, number, shown)


@router.post(
    "/{number}/replay",
    summary="Send a dead letter again",
    response_model=DeadLetter,
    dependencies=CHANGING,
    responses=problems(404, 409),
)
async def replay_letter(rights: RightsDep, number: Number) -> Response:
    """Send the message again to the queue it was for.

    If nobody waits for it any more, or it was replayed or discarded already, the answer is status
    409.
    """
    return await _settled(rights, number, replay)


@router.post(
    "/{number}/discard",
    summary="Put a dead letter away",
    response_model=DeadLetter,
    dependencies=CHANGING,
    responses=problems(404, 409),
)
async def discard_letter(rights: RightsDep, number: Number) -> Response:
    """Remove the message; what is known of the letter is kept for 30 days.

    If it was replayed or discarded already, the answer is status 409.
    """
    return await _settled(rights, number, discard)


async def _read(rights: Rights, number: int, look: Callable[[DeadLetters, Letter], T]) -> T:
    def read() -> T:
        with reading_dead_letters() as letters:
            return look(letters, readable_letter(rights, letters, number))

    return await in_own_thread(LETTERS, read)


async def _settled(rights: Rights, number: int, settle: Act) -> Response:
    def settled() -> Response:
        with settling_dead_letters(rights.name) as letters:
            letter = readable_letter(rights, letters, number)
            demand_may_change(rights, letter.report)
            settle(letters, number, rights.name)
            return answer(DeadLetter, letters.one(number))

    return await in_own_thread(LETTERS, settled)


def readable_letter(rights: Rights, letters: DeadLetters, number: int) -> Letter:
    """Return a letter; one that the user may not read is not there for them.

    Raises:
        NoSuchLetterError: it is not.
    """
    letter = letters.one(number)
    may_read = letter.report is not None and rights.may("GET", letter.report)
    if not (may_read or rights.may("GET", None)):
        raise NoSuchLetterError(f"There is no dead letter {number}.")
    return letter
