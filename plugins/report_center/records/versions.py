"""The versions of one report, with what each changed: two queries per page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from report_center.records.releases import ReleasesWanted, releases

if TYPE_CHECKING:
    import psycopg

    from report_center.records.releases import ReleaseRow

SHOWN = 30
# Of each release: rows of the version before it, however long ago, and the version readers see.
BESIDE = """
SELECT r.release_id, before.row_counts, seen.version
FROM unnest(%s::bigint[]) AS listed (release_id) JOIN reporting.release AS r USING (release_id)
LEFT JOIN LATERAL (
    SELECT row_counts FROM reporting.release AS b
    WHERE b.report = r.report AND b.request_key = r.request_key AND b.version < r.version
    ORDER BY b.version DESC LIMIT 1) AS before ON true
LEFT JOIN reporting.current_release AS c
    ON c.report = r.report AND c.request_key = r.request_key
LEFT JOIN reporting.release AS seen ON seen.release_id = c.release_id
"""


@dataclass(frozen=True)
class VersionRow:
    """One version.

    Attributes:
        release: the release itself; `release.is_current` says whether readers see it.
        differences: rows more, or fewer, than the version before it had, per table; a table that
            one of them lacks counts as empty there. Nothing for a first version.
        seen: the version of the same period and params that readers see; None for none.
    """

    release: ReleaseRow
    differences: Mapping[str, int]
    seen: int | None


@dataclass(frozen=True)
class VersionsPage:
    """One page of versions.

    Attributes:
        rows: the newest first, of every choice of params.
        next_before: `before` of the next page; None on the last one.
    """

    rows: tuple[VersionRow, ...] = ()
    next_before: int | None = None


def versions(
    warehouse: psycopg.Connection[Any],
    report: str,
    period: str | None = None,
    before: int | None = None,
) -> VersionsPage:
    """Return one page of the versions of a report.

    Args:
        warehouse: where they are.
        report: name of the report.
        period: only of this period.
        before: only releases with a smaller id: where the page before has ended.
    """
    wanted = ReleasesWanted(report=report, period=period, before=before, limit=SHOWN + 1)
    found = releases(warehouse, wanted)
    shown = found[:SHOWN]
    beside = _beside(warehouse, [release.release_id for release in shown])
    rows = tuple(_row(release, *beside[release.release_id]) for release in shown)
    return VersionsPage(rows, shown[-1].release_id if len(found) > SHOWN else None)


def differences(old: Mapping[str, int] | None, new: Mapping[str, int]) -> dict[str, int]:
    """Return rows more, or fewer, per table; nothing when there is no version before."""
    if old is None:
        return {}
    return {name: new.get(name, 0) - old.get(name, 0) for name in dict.fromkeys((*new, *old))}


def _row(release: ReleaseRow, before: Mapping[str, int] | None, seen: int | None) -> VersionRow:
    return VersionRow(release, differences(before, release.row_counts), seen)


def _beside(
    warehouse: psycopg.Connection[Any], numbers: list[int]
) -> dict[int, tuple[Mapping[str, int] | None, int | None]]:
    found = warehouse.execute(BESIDE, (numbers,))
    return {number: (before, seen) for number, before, seen in found}
