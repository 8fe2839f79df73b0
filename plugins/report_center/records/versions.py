"""The versions of one report and period, with what each changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from report_center.records.releases import ReleasesWanted, releases

if TYPE_CHECKING:
    import psycopg

    from report_center.records.releases import ReleaseRow

MOST = 200  # versions of one period that a person can look through


@dataclass(frozen=True)
class VersionRow:
    """One version.

    Attributes:
        release: the release itself; `release.is_current` says whether readers see it.
        differences: rows more, or fewer, than the version before it had, per table; a table that
            one of them lacks counts as empty there. Nothing for a first version.
    """

    release: ReleaseRow
    differences: Mapping[str, int]


def versions(warehouse: psycopg.Connection[Any], report: str, period: str) -> list[VersionRow]:
    """Return the versions of a period, the newest first, of every choice of params."""
    found = releases(warehouse, ReleasesWanted(report=report, period=period, limit=MOST))
    return with_differences(found)


def with_differences(found: Sequence[ReleaseRow]) -> list[VersionRow]:
    """Return the releases with what each changed against the version before it.

    Args:
        found: the newest first.
    """
    before: dict[str, ReleaseRow] = {}
    rows = []
    for release in reversed(found):
        rows.append(VersionRow(release, _differences(before.get(release.request_key), release)))
        before[release.request_key] = release
    return rows[::-1]


def _differences(old: ReleaseRow | None, new: ReleaseRow) -> dict[str, int]:
    if old is None:
        return {}
    tables = [*new.row_counts, *(name for name in old.row_counts if name not in new.row_counts)]
    return {name: new.row_counts.get(name, 0) - old.row_counts.get(name, 0) for name in tables}
