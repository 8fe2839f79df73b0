"""Compares the files in the reports bucket with what releases say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.core.reconcile.stored import sha256_of
from reporting.core.states import STORE

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Difference, Scope
    from reporting.core.reconcile.installation import Installation
    from reporting.core.reconcile.releases import Published

FILE = "file"


def release_files(here: Installation, _scope: Scope, release: Published) -> list[Difference]:
    """Compare each file of a release: it is there, of the size and the bytes as written.

    A file is read only if the store calls it another version than the one that was written.
    """
    found = []
    for key in release.files:
        expected, got = _compared(here, release, key)
        if expected != got:
            what = f"{here.places.reports.name}/{key}"
            found.append(release.differs(FILE, what, (expected, got), STORE))
    return found


def _compared(here: Installation, release: Published, key: str) -> tuple[str, str]:
    """Return in words what a file should be, and what it is."""
    there = here.places.reports.facts(key)
    written = release.file_facts.get(key)
    if written is None:  # published before these facts were kept
        return "a file", "none" if there is None else "a file"
    size = f"{written['bytes']} bytes"
    if there is None:
        return size, "none"
    if there.bytes != written["bytes"]:
        return size, f"{there.bytes} bytes"
    if there.etag == written["etag"]:
        return size, size
    return f"SHA-256 {written['sha256']}", f"SHA-256 {sha256_of(here.places.reports, key)}"
