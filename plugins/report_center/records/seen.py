"""What readers see of each report now: one query, however many reports there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from report_center.records.today import UnshownRow

if TYPE_CHECKING:
    import psycopg

# Of the newest period that has a current release: that with the defaults of all params first.
# Older releases are read only where readers do not see the newest, so of few reports.
SEEN = """
SELECT wanted.report, seen.version, seen.period, seen.published_at,
    ARRAY[seen.request_key, newest.request_key, seen.release_id::text, newest.release_id::text],
    newest.version, newest.period
FROM unnest(%s::text[]) AS wanted (report)
CROSS JOIN LATERAL (
    SELECT r.*, (SELECT c.release_id FROM reporting.current_release AS c
        WHERE c.report = r.report AND c.request_key = r.request_key) AS shown
    FROM reporting.release AS r WHERE r.report = wanted.report
    ORDER BY r.period DESC, r.is_default DESC, r.release_id DESC LIMIT 1) AS newest
LEFT JOIN LATERAL (
    SELECT newest.version, newest.period, newest.published_at, newest.request_key,
        newest.release_id
    WHERE newest.shown = newest.release_id
    UNION ALL (
    SELECT r.version, r.period, r.published_at, r.request_key, r.release_id
    FROM reporting.release AS r
    WHERE newest.shown IS DISTINCT FROM newest.release_id AND r.report = wanted.report
        AND r.release_id = (SELECT c.release_id FROM reporting.current_release AS c
            WHERE c.report = r.report AND c.request_key = r.request_key)
    ORDER BY r.period DESC, r.is_default DESC, r.release_id DESC LIMIT 1)) AS seen ON true
"""


@dataclass(frozen=True)
class SeenRow:
    """What readers see of one report.

    Attributes:
        version: of the newest period that has a current version; None when none has.
        period: that period.
        published_at: when that version was published.
        unshown: the newest version of all, when it is not that one.
    """

    version: int | None = None
    period: str | None = None
    published_at: datetime | None = None
    unshown: UnshownRow | None = None


def seen_by_readers(warehouse: psycopg.Connection[Any], names: Sequence[str]) -> dict[str, SeenRow]:
    """Return what readers see of each report that has ever published."""
    found = warehouse.execute(SEEN, (list(names),))
    return {
        name: SeenRow(version, period, at, _unshown(keys, *newest))
        for name, version, period, at, keys, *newest in found
    }


def _unshown(keys: Sequence[str | None], version: int, period: str) -> UnshownRow | None:
    """Return the newest version, unless readers see it: both are of a key, at a number."""
    seen_key, newest_key, seen, newest = keys
    if seen == newest:
        return None
    return UnshownRow("rolled_back" if seen_key == newest_key else "withdrawn", version, period)
