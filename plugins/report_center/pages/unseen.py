"""What a page lacks because something does not answer, in the reader's words."""

from collections.abc import Iterable

from report_center.pages.texts import Texts

# How the records begin what they say of each, see `report_center.records.elsewhere`.
KEYS = {
    "The report warehouse": "warehouse",
    "The report store": "store",
    "The message broker": "broker",
}


def unseen_texts(texts: Texts, told: Iterable[str]) -> tuple[str, ...]:
    """Return what is missing; of what nobody has words for, what was told."""
    return tuple(_text(texts, one) for one in told)


def _text(texts: Texts, told: str) -> str:
    key = next((key for beginning, key in KEYS.items() if told.startswith(beginning)), None)
    return texts(f"away.{key}") if key else told
