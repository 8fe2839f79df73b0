"""Finds files in the reports bucket that no release names, and removes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from reporting.core.reconcile.difference import Difference
from reporting.core.reconcile.installation import is_noted, known_reports
from reporting.core.reconcile.stored import Lying, counted, lying_under
from reporting.core.reconcile.unnoted import kept_out, run_in
from reporting.core.rerun_text import clear_command
from reporting.core.run import RunId
from reporting.core.states import INIT
from reporting.core.warehouse.release import has_release
from reporting.core.warehouse.runs import published_files

if TYPE_CHECKING:
    import psycopg

    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation

ORPHANED_FILES, LOST_RELEASE = "orphaned files", "lost release"
FILES = re.compile(
    r"(?P<report>[^/]+)/[^/]+/(?P<task>[\w~-]+)/[0-9a-f]{12}/(?P=report)_[^/]+", re.ASCII
)
FOLDER_PARTS = 3
BATCH = 1000
UNNAMED = """
SELECT key, run_id FROM unnest(%s::text[], %s::text[]) AS lying (key, run_id)
WHERE NOT EXISTS (SELECT FROM reporting.release AS r
    WHERE r.report = %s AND r.run_id = lying.run_id AND r.files ? lying.key)
"""


@dataclass(frozen=True)
class Folder:
    """Where the files of one run lie.

    Attributes:
        run: which run.
        prefix: `<report>/<period>/<task key>/`.
    """

    run: RunId
    prefix: str


def file_folders(here: Installation, scope: Scope) -> Iterator[Folder]:
    """Yield the folders in which files lie that no release names, each once."""
    connection = here.places.warehouse
    for report in known_reports(connection):
        if scope.report in (None, report):
            lying = lying_under(here.places.reports, f"{report}/")
            keys = ((one.key, run) for one in lying if (run := run_in(one.key, FILES)))
            found = {f for batch in _batches(keys) for f in _unnamed(connection, report, batch)}
            yield from (f for f in found if scope.covers(f.run.report, f.run.run_id))


def orphaned_files(here: Installation, scope: Scope, folder: Folder) -> list[Difference]:
    """Return the files of a run that no release names and no live run accounts for."""
    if is_noted(here.places.warehouse, folder.run):
        return []
    stray = _stray(here, scope, folder)
    if not stray:
        return []
    where = f"{here.places.reports.name}/{folder.prefix}"
    report, run_id = folder.run.report, folder.run.run_id
    pair = ("only files that a release names", f"{counted(stray)} more")
    if _has_lost_its_release(here, folder.run):
        advice = clear_command("reports", report, run_id, [INIT])
        return [Difference(LOST_RELEASE, report, run_id, where, *pair, "decide", advice)]
    return [Difference(ORPHANED_FILES, report, run_id, where, *pair, "remove")]


def remove_files(here: Installation, scope: Scope, found: Difference) -> None:
    """Remove the files of a run that no release names."""
    bucket = here.places.reports
    folder = Folder(found.run, found.what.removeprefix(f"{bucket.name}/"))
    with kept_out(here.places.warehouse, found.run) as is_out:
        is_due = is_out and not _has_lost_its_release(here, found.run)
        stray = _stray(here, scope, folder) if is_due else []
        bucket.delete([one.key for one in stray if not one.upload_id])
        for one in stray:
            if one.upload_id:
                bucket.abort_upload(one.key, one.upload_id)


def _has_lost_its_release(here: Installation, run: RunId) -> bool:
    """Say whether a run is green and the warehouse knows no release of it.

    As after the warehouse was put back to an earlier state: then the files are all there is.
    """
    standing = here.standing_of(run)
    is_green = standing is not None and standing.is_green
    return is_green and not has_release(here.places.warehouse, run)


def _stray(here: Installation, scope: Scope, folder: Folder) -> list[Lying]:
    named = published_files(here.places.warehouse, folder.run)
    lying = lying_under(here.places.reports, folder.prefix)
    stray = [one for one in lying if one.upload_id or one.key not in named]
    is_quiet = all(one.since <= scope.before for one in stray)
    return stray if is_quiet and here.has_ended(folder.run, scope.before) else []


def _unnamed(
    connection: psycopg.Connection[Any], report: str, batch: Sequence[tuple[str, RunId]]
) -> list[Folder]:
    keys, runs = [key for key, _ in batch], [run.run_id for _, run in batch]
    return [
        Folder(RunId(report, run_id), "/".join(key.split("/")[:FOLDER_PARTS]) + "/")
        for key, run_id in connection.execute(UNNAMED, (keys, runs, report)).fetchall()
    ]


def _batches(keys: Iterator[tuple[str, RunId]]) -> Iterator[list[tuple[str, RunId]]]:
    while batch := list(islice(keys, BATCH)):
        yield batch
