"""What the pages of dead letters show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from report_center.pages.badges import Badge, letter_badge
from report_center.pages.formats import Formats
from report_center.pages.runs_view import Option
from report_center.pages.unseen import unseen_texts
from report_center.records.reports import ReportRow
from reporting.core.warehouse.dead_letters import STATES, WAITING, DeadLetter

PAGE = 50


@dataclass(frozen=True)
class LettersWanted:
    """What the reader looks for; a page begins behind `offset` letters."""

    report: str | None = None
    source: str | None = None
    state: str = WAITING
    offset: int = 0


@dataclass(frozen=True)
class LettersFound:
    """What was found.

    Attributes:
        letters: those of this page.
        total: how many there are in all.
        unseen: what could not be asked, in words.
    """

    letters: Sequence[DeadLetter] = ()
    total: int = 0
    unseen: tuple[str, ...] = ()


@dataclass(frozen=True)
class LetterLine:
    """One letter.

    Attributes:
        letter: the letter.
        badge: its state.
        zone: time zone of its report.
        title: what people call its report; its name when that is unknown; empty for none.
        is_open: whether it waits for somebody.
    """

    letter: DeadLetter
    badge: Badge
    zone: str
    title: str
    is_open: bool


@dataclass(frozen=True)
class LettersView:
    """The page of the list.

    Attributes:
        lines: the letters.
        total: how many there are in all.
        wanted: what the reader looks for.
        reports: the reports to choose from.
        states: the states to choose from.
        next_offset: where the next page begins; None on the last one.
        is_filtered: whether more is asked than what waits.
        unseen: what could not be asked, in words.
    """

    lines: tuple[LetterLine, ...]
    total: int
    wanted: LettersWanted
    reports: tuple[Option, ...]
    states: tuple[Option, ...]
    next_offset: int | None
    is_filtered: bool
    unseen: tuple[str, ...]


@dataclass(frozen=True)
class LetterPage:
    """The page of one letter.

    Attributes:
        line: the letter as the list shows it.
        beginning: the beginning of its message, without secrets; None when it is gone.
        may_see: whether the reader may see the message.
        unseen: what could not be asked, in words.
    """

    line: LetterLine
    beginning: str | None
    may_see: bool
    unseen: tuple[str, ...]


def letters_view(
    fmt: Formats, found: LettersFound, wanted: LettersWanted, reports: Sequence[ReportRow]
) -> LettersView:
    """Return the page of the list."""
    known = {report.name: report for report in reports}
    end = wanted.offset + PAGE
    return LettersView(
        lines=tuple(letter_line(fmt, letter, known) for letter in found.letters),
        total=found.total,
        wanted=wanted,
        reports=tuple(Option(one.name, one.title, one.name == wanted.report) for one in reports),
        states=tuple(
            Option(state, fmt.texts(f"letter_state.{state}"), state == wanted.state)
            for state in STATES
        ),
        next_offset=end if found.total > end else None,
        is_filtered=bool(wanted.report or wanted.source or wanted.state != WAITING),
        unseen=unseen_texts(fmt.texts, found.unseen),
    )


def letter_line(fmt: Formats, letter: DeadLetter, known: Mapping[str, ReportRow]) -> LetterLine:
    """Return one letter as the list shows it."""
    report = known.get(letter.report or "")
    return LetterLine(
        letter=letter,
        badge=letter_badge(fmt.texts, letter.state),
        zone=report.timezone if report else "UTC",
        title=report.title if report else letter.report or "",
        is_open=letter.state == WAITING,
    )
