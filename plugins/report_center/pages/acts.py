"""What a reader may do on a page: links to the pages that say what will happen and ask."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Act:
    """One thing to do.

    Attributes:
        text: what the button says.
        address: the page that asks for confirmation.
        tone: `main` for what is wanted most, `danger` for what cannot be undone, or empty.
        value: what a form sends when the button is pressed, where several things are chosen.
    """

    text: str
    address: str = ""
    tone: str = ""
    value: str = ""


NOTHING_TO_DO: tuple[Act, ...] = ()
