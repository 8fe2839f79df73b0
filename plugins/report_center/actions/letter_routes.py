"""The page that replays or discards dead letters, one or several: `/reports/dead-letters/several`.

Its address looks like that of a letter, so this router is included first.
"""

from collections.abc import Callable, Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request, Response

from report_center.actions.asking import Form, gone_on, whole_number
from report_center.api.asking import LETTERS as PLACE
from report_center.changes.letters import discard, replay, settled
from report_center.pages.frame import frame_of
from report_center.pages.letter_routes import letter_there
from report_center.pages.page_route import PageRoute
from report_center.pages.shell import page
from report_center.pages.texts import Texts
from reporting.airflow_edge.open_dead_letters import reading_dead_letters
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.web_rights import (
    CHANGING,
    LARGEST_NUMBER,
    Rights,
    RightsDep,
    demand_may_change,
)
from reporting.core.warehouse.dead_letters import DeadLetter

LETTERS = "dead-letters"
MOST = 100
Numbers = Annotated[
    list[Annotated[int, Query(ge=1, le=LARGEST_NUMBER)]], Query(alias="number", max_length=MOST)
]
Act = Literal["replay", "discard"]
ACTS = {"replay": replay, "discard": discard}
What = Annotated[Act, Query()]
router = APIRouter(route_class=PageRoute, include_in_schema=False, prefix="/dead-letters")


@router.get("/several")
async def ask_to_settle(
    request: Request,
    rights: RightsDep,
    action: What = "replay",
    number: Numbers = [],  # noqa: B006
) -> Response:
    """Say what would be done to the chosen letters, and ask."""
    if not number:
        return gone_on(request, "none_chosen", LETTERS)
    found = await in_own_thread(PLACE, _changeable, rights, number)
    return _page(request, action, found)


@router.post("/several", dependencies=CHANGING)
async def settle(request: Request, rights: RightsDep, form: Form) -> Response:
    """Do it to each letter; none stops another."""
    action: Act = "discard" if form.get("action") == "discard" else "replay"
    numbers = _numbers(form)
    if not numbers:
        return gone_on(request, "none_chosen", LETTERS)
    await in_own_thread(PLACE, _changeable, rights, numbers)
    refused = await in_own_thread(PLACE, settled, ACTS[action], numbers, rights.name)
    if refused:
        return _outcome(request, action, numbers, refused)
    if len(numbers) == 1:
        return gone_on(request, f"{action}_one", LETTERS, numbers[0])
    return gone_on(request, f"{action}_several", LETTERS)


def _numbers(form: Form) -> list[int]:
    typed = [text for text in form.getlist("number") if isinstance(text, str)]
    found = filter(None, map(whole_number, typed))
    return list(dict.fromkeys(found))[:MOST]


def _changeable(rights: Rights, numbers: Sequence[int]) -> list[DeadLetter]:
    """Return letters; all of them must be such that the user may settle them."""
    with reading_dead_letters() as letters:
        found = [letter_there(rights, letters, number) for number in dict.fromkeys(numbers)]
    for report in {letter.report for letter in found}:
        demand_may_change(rights, report)
    return found


def _page(request: Request, action: Act, found: Sequence[DeadLetter]) -> Response:
    frame = frame_of(request)
    texts = frame.texts
    numbers = [letter.dead_letter_id for letter in found]
    return page(
        request,
        "confirm.html",
        title=texts.count(f"{action}.title", len(found)),
        happens=[*map(_sentence_of(texts, action), found), texts(f"{action}.happens")],
        post_to=frame.to(LETTERS, "several"),
        button=texts.count(f"{action}.button", len(found)),
        is_dangerous=action == "discard",
        hidden=[("action", action), *(("number", number) for number in numbers)],
        back_to=frame.to(LETTERS, *(numbers if len(numbers) == 1 else ())),
    )


def _sentence_of(texts: Texts, action: Act) -> Callable[[DeadLetter], str]:
    def sentence(letter: DeadLetter) -> str:
        whose = ", ".join(filter(None, (letter.report, letter.source))) or texts("letters.unknown")
        number = letter.dead_letter_id
        return texts(f"{action}.letter", number=number, whose=whose, queue=letter.queue)

    return sentence


def _outcome(
    request: Request, action: Act, numbers: Sequence[int], refused: dict[int, str]
) -> Response:
    frame = frame_of(request)
    texts = frame.texts
    done = [number for number in numbers if number not in refused]
    return page(
        request,
        "outcome.html",
        409 if not done else 200,
        title=texts.count(f"{action}.title", len(numbers)),
        done=[texts(f"{action}.did", number=number) for number in done],
        refused=list(refused.values()),
        back_to=frame.to(LETTERS),
    )
