"""Compares what a source has told, what was staged and computed, and what a release says of it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from reporting.core.result import FINGERPRINT, PREFIX
from reporting.core.staging import Staging
from reporting.core.states import COMPUTE, fetch_task
from reporting.core.warehouse.release import SET_ASIDE
from reporting.errors import IntegrityError

if TYPE_CHECKING:
    from reporting.core.manifest import Manifest
    from reporting.core.reconcile.difference import Difference, Scope
    from reporting.core.reconcile.installation import Installation
    from reporting.core.reconcile.releases import Published

SOURCE_COUNT, COMPUTED_ROWS = "source count", "computed rows"
STAGED_ROWS, STAGED_OBJECT = "staged rows", "staged object"
TOLD = "expected_rows"  # fact of a source that says itself how many rows it has


def source_counts(_here: Installation, _scope: Scope, release: Published) -> list[Difference]:
    """Compare what sources have told with the rows that were staged and set aside."""
    found = []
    for name, facts in release.sources.items():
        told, got = facts.get(TOLD), facts["rows"] + facts.get(SET_ASIDE, 0)
        if told is not None and told != got:
            what, pair = release.named(f"source {name}"), (f"{told} rows", f"{got} rows")
            found.append(release.differs(SOURCE_COUNT, what, pair, fetch_task(name)))
    return found


def staged_rows(here: Installation, _scope: Scope, release: Published) -> list[Difference]:
    """Compare the staged sources with the release, as long as they are those it was made of."""
    found: list[Difference] = []
    for name, facts in release.sources.items() if release.is_kept else ():
        task = fetch_task(name)
        manifest = _manifest(here, release, name)
        if manifest is None:
            found += _without_manifest(here, release, f"source {name}", task)
        elif manifest.attempt == facts.get("attempt"):
            if manifest.rows != facts["rows"]:
                pair = (f"{facts['rows']} rows in the release", f"{manifest.rows} rows staged")
                what = release.named(f"source {name}")
                found.append(release.differs(STAGED_ROWS, what, pair, task))
            found += _parts(here, release, manifest, task)
    return found


def computed_rows(here: Installation, _scope: Scope, release: Published) -> list[Difference]:
    """Compare the computed tables with the release, as long as they are those it published."""
    found: list[Difference] = []
    for table, rows in release.row_counts.items() if release.is_kept else ():
        manifest = _manifest(here, release, PREFIX + table)
        if manifest is None:
            found += _without_manifest(here, release, f"table {table}", COMPUTE)
        elif _is_of(release, manifest):
            if manifest.rows != rows:
                pair = (f"{manifest.rows} rows computed", f"{rows} rows in the release")
                what = release.named(f"table {table}")
                found.append(release.differs(COMPUTED_ROWS, what, pair, COMPUTE))
            found += _parts(here, release, manifest, COMPUTE)
    return found


def _is_of(release: Published, manifest: Manifest) -> bool:
    # Computed later, it is the result of a compute that was cleared alone.
    is_before = datetime.fromisoformat(manifest.committed_at) <= release.published_at
    return is_before and manifest.facts.get(FINGERPRINT) == release.fingerprint


def _manifest(here: Installation, release: Published, source: str) -> Manifest | None:
    try:
        return Staging(here.places.staging, release.run).manifest(source)
    except IntegrityError:
        return None


def _without_manifest(
    here: Installation, release: Published, part: str, task: str
) -> list[Difference]:
    if not _is_staged_still(here, release):
        return []
    pair = ("a manifest", "none that can be read")
    return [release.differs(STAGED_OBJECT, release.named(part), pair, task)]


def _is_staged_still(here: Installation, release: Published) -> bool:
    """Say whether anything is left of what the release was made of.

    All of a run's staged data goes at once. If none is there, it is a later life that has staged
    what there is, and has not come as far.
    """
    sources = {name: _manifest(here, release, name) for name in release.sources}
    if any(m and m.attempt == release.sources[name].get("attempt") for name, m in sources.items()):
        return True
    tables = [_manifest(here, release, PREFIX + table) for table in release.row_counts]
    return any(m is not None and _is_of(release, m) for m in tables)


def _parts(
    here: Installation, release: Published, manifest: Manifest, task: str
) -> list[Difference]:
    found = []
    for part in manifest.parts:
        there = here.places.staging.facts(part.key)
        if there is None or there.bytes != part.bytes:
            what = f"{here.places.staging.name}/{part.key}"
            pair = (f"{part.bytes} bytes", "none" if there is None else f"{there.bytes} bytes")
            found.append(release.differs(STAGED_OBJECT, what, pair, task))
    return found
