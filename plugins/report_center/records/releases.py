"""Releases: what was published, as the warehouse remembers it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from reporting.core.warehouse.release import quarantined_in

if TYPE_CHECKING:
    import psycopg

SELECT = """
SELECT r.release_id, r.report, r.period, r.request_key, r.version, r.params, r.is_default,
    c.release_id IS NOT NULL, r.run_id, r.published_at, r.row_counts, r.sources, r.missing,
    r.files, r.file_facts
FROM reporting.release AS r LEFT JOIN reporting.current_release AS c USING (release_id)
"""
LIST = f"""{SELECT}
WHERE (%(readable)s::text[] IS NULL OR r.report = ANY(%(readable)s))
    AND (%(report)s::text IS NULL OR r.report = %(report)s)
    AND (%(period)s::text IS NULL OR r.period = %(period)s)
    AND (%(is_current)s::boolean IS NULL OR (c.release_id IS NOT NULL) = %(is_current)s)
    AND (%(before)s::bigint IS NULL OR r.release_id < %(before)s)
ORDER BY r.release_id DESC LIMIT %(limit)s
"""
ONE = f"{SELECT} WHERE r.release_id = %s"
CURRENT = f"{SELECT} WHERE c.report = %s AND c.request_key = %s"


@dataclass(frozen=True)
class FileRow:
    """One file of a release.

    Attributes:
        name: what it is called, unique in the release; part of its address.
        key: its object key in the reports bucket.
        bytes: size; None when it was not noted.
        sha256: hex digest; None when it was not noted.
    """

    name: str
    key: str
    bytes: int | None
    sha256: str | None


@dataclass(frozen=True)
class ReleaseRow:
    """One published version.

    Attributes:
        release_id: unique in the warehouse; later ones are larger.
        report: name of the report.
        period: period key.
        request_key: period and params in short: versions are counted per key.
        version: 1, 2, … per request key.
        params: every declared param with its value.
        is_default: whether all params have their default.
        is_current: whether it is what readers see.
        run_id: the run that published it.
        published_at: when.
        row_counts: rows per table.
        sources: per source its rows and further facts.
        missing: optional sources it was made without, with the reason.
        set_aside: rows that did not fit, per source that has any.
        files: its files.
    """

    release_id: int
    report: str
    period: str
    request_key: str
    version: int
    params: Mapping[str, Any]
    is_default: bool
    is_current: bool
    run_id: str
    published_at: datetime
    row_counts: Mapping[str, int]
    sources: Mapping[str, Any]
    missing: Mapping[str, str]
    set_aside: Mapping[str, int]
    files: tuple[FileRow, ...]

    def file(self, name: str) -> FileRow | None:
        """Return a file by name, or None."""
        return next((file for file in self.files if file.name == name), None)


@dataclass(frozen=True)
class ReleasesWanted:
    """Which releases are listed.

    Attributes:
        readable: reports that may be read; None for all.
        report: only of this report.
        period: only of this period.
        is_current: only those that readers see, or only those they do not.
        before: only those with a smaller `release_id`: where the page before has ended.
        limit: how many at most.
    """

    readable: Collection[str] | None = None
    report: str | None = None
    period: str | None = None
    is_current: bool | None = None
    before: int | None = None
    limit: int = 50


def releases(warehouse: psycopg.Connection[Any], wanted: ReleasesWanted) -> list[ReleaseRow]:
    """Return one page of releases, the newest first."""
    readable = None if wanted.readable is None else list(wanted.readable)
    found = warehouse.execute(LIST.encode(), {**vars(wanted), "readable": readable})
    return [_row(row) for row in found]


def release(warehouse: psycopg.Connection[Any], release_id: int) -> ReleaseRow | None:
    """Return one release, or None."""
    row = warehouse.execute(ONE.encode(), (release_id,)).fetchone()
    return None if row is None else _row(row)


def current_release(
    warehouse: psycopg.Connection[Any], report: str, request_key: str
) -> ReleaseRow | None:
    """Return what readers see of a period and params, if anything."""
    row = warehouse.execute(CURRENT.encode(), (report, request_key)).fetchone()
    return None if row is None else _row(row)


def _row(row: tuple[Any, ...]) -> ReleaseRow:
    known, (sources, missing, keys, facts) = row[:-4], row[-4:]
    files = tuple(_file(key, facts.get(key, {})) for key in keys)
    return ReleaseRow(*(*known, sources, missing, quarantined_in(sources), files))


def _file(key: str, facts: Mapping[str, Any]) -> FileRow:
    return FileRow(key.rpartition("/")[2], key, facts.get("bytes"), facts.get("sha256"))
