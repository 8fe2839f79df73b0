"""Releases: what has been published, and what is about to be (R32)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reporting.core.already_published import AlreadyPublished

if TYPE_CHECKING:
    import psycopg
    import pyarrow as pa

    from reporting.core.files import FileFacts
    from reporting.core.fit import Refused
    from reporting.core.run import Run, RunId

SET_ASIDE = "quarantined"
FIND = """
SELECT release_id, version, row_counts, files, missing, sources FROM reporting.release
WHERE report = %s AND run_id = %s AND clear_number = %s AND started = %s
"""
ANY = "SELECT FROM reporting.release WHERE report = %s AND run_id = %s LIMIT 1"
CURRENT = """
SELECT r.version, r.run_id, r.published_at, r.missing
FROM reporting.current_release AS c JOIN reporting.release AS r USING (release_id)
WHERE c.report = %s AND c.request_key = %s
"""


@dataclass(frozen=True)
class Release:
    """One published version.

    Attributes:
        release_id: unique in the warehouse.
        version: 1, 2, … per business key.
        row_counts: rows per table.
        files: object keys in the reports bucket.
        missing: optional sources it was made without, with the reason.
        quarantined: how many rows of which sources it was made without.
    """

    release_id: int
    version: int
    row_counts: Mapping[str, int]
    files: tuple[str, ...]
    missing: Mapping[str, str]
    quarantined: Mapping[str, int]


@dataclass(frozen=True)
class Edition:
    """What is about to be published.

    Attributes:
        tables: data per table name, of the declared types.
        fingerprint: digest of everything the data depends on.
        sources: facts per staged source.
        missing: optional sources left out, with the reason.
        files: object keys, already written.
        quarantined: rows that were set aside, per source that has any.
        file_facts: what each file was when it was written.
    """

    tables: Mapping[str, pa.Table]
    fingerprint: str
    sources: Mapping[str, Any]
    missing: Mapping[str, str]
    files: tuple[str, ...]
    quarantined: Mapping[str, Sequence[Refused]] = field(default_factory=dict)
    file_facts: Mapping[str, FileFacts] = field(default_factory=dict)

    @property
    def row_counts(self) -> dict[str, int]:
        """Rows per table."""
        return {name: table.num_rows for name, table in self.tables.items()}


def find_release(connection: psycopg.Connection[Any], run: RunId) -> Release | None:
    """Return what this life of the run has published already, if anything."""
    row = connection.execute(FIND, run.life).fetchone()
    if row is None:
        return None
    return Release(row[0], row[1], row[2], tuple(row[3]), row[4], quarantined_in(row[5]))


def has_release(connection: psycopg.Connection[Any], run: RunId) -> bool:
    """Say whether the run has published in any of its lives."""
    return connection.execute(ANY, (run.report, run.run_id)).fetchone() is not None


def quarantined_in(sources: Mapping[str, Any]) -> dict[str, int]:
    """Return the sources of which rows were set aside, and how many, from their facts."""
    return {name: facts[SET_ASIDE] for name, facts in sources.items() if facts.get(SET_ASIDE)}


def current_release(connection: psycopg.Connection[Any], run: Run) -> AlreadyPublished | None:
    """Return what readers see of the run's period and params, if anything."""
    row = connection.execute(CURRENT, (run.id.report, run.request_key)).fetchone()
    if row is None:
        return None
    version, run_id, published_at, missing = row
    return AlreadyPublished(version, run_id, published_at.isoformat(), tuple(sorted(missing)))
