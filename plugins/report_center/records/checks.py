"""Which checks a release has passed: by its report's definition, with the release's own numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from reporting.core.freshness import NEWEST_AGE
from reporting.core.reconcile.staged_counts import TOLD
from reporting.core.warehouse.release import SET_ASIDE

if TYPE_CHECKING:
    from report_center.records.releases import ReleaseRow


class Kind(Enum):
    """What is checked."""

    SOURCES = "sources"  # how many of the sources were there
    WITHOUT = "without"  # one that was left out may be
    WHOLE = "whole"  # what was read is what was staged
    ROWS = "rows"  # rows staged against the fewest that are due
    COUNT = "count_of"  # rows that came against the source's own count
    SET_ASIDE = "set_aside"  # rows that did not fit against what `quarantine` allows
    COLUMNS = "columns"  # every row has the declared columns
    FRESH = "fresh"  # age of the newest row against what `fresh` allows
    KEY = "key"  # the key of a table is unique
    PUBLISHED = "published"  # rows published against rows computed


@dataclass(frozen=True)
class CheckRow:
    """One check.

    Attributes:
        kind: what is checked.
        about: the source or table; empty for the release as a whole.
        values: what was counted and what is allowed, by name; None for what nobody has kept.
        holds: whether the numbers keep to the definition; False says that it was another one
            when the release was made; None when they cannot tell.
    """

    kind: Kind
    about: str
    values: Mapping[str, Any]
    holds: bool | None = None


def checks_of(definition: Mapping[str, Any], release: ReleaseRow) -> tuple[CheckRow, ...]:
    """Return what was checked before a release was published, or as it was.

    Args:
        definition: the one in force; empty when it is not known.
        release: holds the numbers.
    """
    declared = {source["name"]: source for source in definition.get("sources", ())}
    keys = {table["name"]: table["key"] for table in definition.get("tables", ())}
    found = [*_of_release(release)]
    for name in _ordered(declared, release.sources):
        found += _of_source(name, declared.get(name, {}), release.sources[name])
    for name in _ordered(keys, release.row_counts):
        found += _of_table(name, keys.get(name), release.row_counts[name])
    return tuple(found)


def _ordered(declared: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """Return what the release has, in declared order, and behind it what is declared no more."""
    return [*(n for n in declared if n in found), *(n for n in found if n not in declared)]


def _of_release(release: ReleaseRow) -> Iterator[CheckRow]:
    ready, missing = len(release.sources), len(release.missing)
    if ready or missing:
        yield CheckRow(Kind.SOURCES, "", {"ready": ready, "total": ready + missing})
    for name in release.missing:
        yield CheckRow(Kind.WITHOUT, name, {})
    if ready:
        yield CheckRow(Kind.WHOLE, "", {})


def _of_source(
    name: str, declared: Mapping[str, Any], facts: Mapping[str, Any]
) -> Iterator[CheckRow]:
    rows, aside = facts.get("rows"), facts.get(SET_ASIDE, 0)
    least, most = declared.get("min_rows"), declared.get("quarantine")
    yield CheckRow(Kind.ROWS, name, {"rows": rows, "least": least}, _is_within(least, rows))
    if (told := facts.get(TOLD)) is not None:
        yield CheckRow(Kind.COUNT, name, {"told": told, "got": (rows or 0) + aside})
    yield CheckRow(Kind.SET_ASIDE, name, {"aside": aside, "most": most}, _is_within(aside, most))
    if columns := declared.get("columns"):
        yield CheckRow(Kind.COLUMNS, name, {"columns": len(columns)})
    if fresh := declared.get("fresh"):
        age = facts.get(NEWEST_AGE)
        values = {"age": age, "column": fresh["column"], "within": fresh["within"]}
        yield CheckRow(Kind.FRESH, name, values, _is_within(age, fresh["within"]))


def _of_table(name: str, key: list[str] | None, rows: int) -> Iterator[CheckRow]:
    by = None if key is None else ", ".join(key)
    yield CheckRow(Kind.KEY, name, {"by": by, "rows": rows})
    yield CheckRow(Kind.PUBLISHED, name, {"rows": rows})


def _is_within(smaller: float | None, larger: float | None) -> bool | None:
    return None if smaller is None or larger is None else smaller <= larger
