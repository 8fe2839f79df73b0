"""What the page *Health* shows."""

from dataclasses import dataclass

from report_center.pages.badges import BAD, GOOD, Badge
from report_center.pages.texts import Texts
from report_center.pages.unseen import unseen_texts
from report_center.records.health import DifferenceRow, Health


@dataclass(frozen=True)
class DifferenceLine:
    """One difference that was found, what it is in words, and whether it is left."""

    row: DifferenceRow
    kind: str
    badge: Badge


@dataclass(frozen=True)
class HealthPage:
    """The page.

    Attributes:
        health: how the installation is.
        differences: what the last reconciliation found in reports the reader may read.
        more: how many it found besides: of other reports, or too many to be kept.
        unseen: what could not be asked, in words.
    """

    health: Health
    differences: tuple[DifferenceLine, ...]
    more: int
    unseen: tuple[str, ...]


def health_page(texts: Texts, health: Health) -> HealthPage:
    """Return the page."""
    last = health.reconciliation
    found = last.found if last else ()
    return HealthPage(
        health=health,
        differences=tuple(_line(texts, one) for one in found),
        more=max(0, last.differences - len(found)) if last else 0,
        unseen=unseen_texts(texts, health.unseen),
    )


def _line(texts: Texts, row: DifferenceRow) -> DifferenceLine:
    key = f"difference.{row.kind.replace(' ', '_')}"
    kind = texts(key) if texts.knows(key) else row.kind
    return DifferenceLine(row, kind, _badge(texts, row))


def _badge(texts: Texts, row: DifferenceRow) -> Badge:
    if row.is_repaired:
        return Badge(GOOD, "check", texts("health.is_repaired"), "repaired")
    return Badge(BAD, "warn", texts("health.is_left"), "left")
