"""What each version changed against the one before it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from report_center.pages.acts import version_acts
from report_center.records.versions import VersionRow, differences
from tests.center_pages import frame
from tests.center_rows import a_release

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        (None, {"totals": 3}, {}),
        ({"totals": 10, "old": 3}, {"totals": 12, "old": 3}, {"totals": 2, "old": 0}),
        ({"totals": 12, "old": 3}, {"new": 5}, {"new": 5, "totals": -12, "old": -3}),
    ],
)
def test_differences_are_rows_more_or_fewer_per_table(
    old: Mapping[str, int] | None, new: Mapping[str, int], changed: dict[str, int]
) -> None:
    assert differences(old, new) == changed


class Everybody:
    """Somebody who may do everything."""

    def may(self, *_: object) -> bool:
        return True


@pytest.mark.parametrize(
    ("version", "seen", "text"),
    [
        (2, 2, "Withdraw"),
        (1, 2, "Roll back to this"),
        (3, 2, "Make current"),
        (1, None, "Make current"),
    ],
)
def test_what_may_be_done_goes_by_what_readers_see_not_by_what_is_listed(
    version: int, seen: int | None, text: str
) -> None:
    release = a_release(7, version=version, is_current=version == seen)
    listed = [VersionRow(release, {}, seen)]
    acts = version_acts(frame(), Everybody(), "sales", listed)  # type: ignore[arg-type]
    assert [act.text for act in acts[7]] == [text]
