"""The checks of a release in the reader's words."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from report_center.pages.badges import GOOD, LEFT_OUT, Badge
from report_center.pages.formats import Formats
from report_center.records.checks import CheckRow, Kind

PASSED, CHANGED, UNKNOWN = "passed", "changed", "unknown"
ROWS = ("rows", "told", "got", "aside")
SPANS = ("age", "within")


@dataclass(frozen=True)
class CheckLine:
    """One check: what it says, and whether it would still be passed."""

    text: str
    badge: Badge

    @property
    def is_passed(self) -> bool:
        """Whether it was passed, and would be so by the definition in force."""
        return self.badge.code == PASSED


def check_lines(fmt: Formats, checks: Iterable[CheckRow]) -> tuple[CheckLine, ...]:
    """Return the checks; one whose numbers are not all known is told without them."""
    return tuple(CheckLine(_text(fmt, check), _badge(fmt, check)) for check in checks)


def _text(fmt: Formats, check: CheckRow) -> str:
    is_known = None not in check.values.values()
    key = f"check.{check.kind.value}" if is_known else f"check.{check.kind.value}_only"
    shown = {name: _shown(fmt, name, value) for name, value in check.values.items()}
    return fmt.texts(key, name=check.about, **shown)


def _shown(fmt: Formats, name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if name in SPANS:
        return fmt.duration(value)
    if name in ROWS and value is not None:
        return fmt.texts.count("count.rows", value)
    return fmt.number(value)


def _badge(fmt: Formats, check: CheckRow) -> Badge:
    if check.holds is False:
        return Badge(LEFT_OUT, "info", fmt.texts("check.changed"), CHANGED)
    if check.kind is Kind.FRESH and check.values["age"] is None:
        return Badge(LEFT_OUT, "info", fmt.texts("check.unknown"), UNKNOWN)
    return Badge(GOOD, "check", fmt.texts("check.passed"), PASSED)
