"""A whole pass: every comparison one after the other, and the repairs that rules allow."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from reporting.core.reconcile.comparisons import COMPARISONS, REPAIRS, Comparison
from reporting.core.reconcile.difference import Difference, Findings
from reporting.core.redact import without_secrets

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation

log = logging.getLogger(__name__)
MOST = 100_000  # things that one comparison looks at in a pass


def reconcile(here: Installation, scope: Scope) -> Findings:
    """Compare everything in scope; nothing is changed.

    Each difference is looked at twice, so that what is being published, cleared or removed right
    now is none. What cannot be looked at keeps nothing else from being looked at.

    Raises:
        psycopg.Error: the warehouse is away.
    """
    differences: dict[Difference, None] = {}
    unseen: list[str] = []
    for comparison in COMPARISONS:
        with _noted(here, unseen, comparison.what):
            items = iter(comparison.items(here, scope))
            for item in islice(items, MOST):
                with _noted(here, unseen, f"{comparison.what}, {item}"):
                    differences |= dict.fromkeys(_seen_twice(here, scope, comparison, item))
            if next(items, None) is not None:
                unseen.append(f"{comparison.what}: only the first {MOST:,} were looked at")
    return Findings(list(differences), unseen)


def repair(here: Installation, scope: Scope, differences: Sequence[Difference]) -> Findings:
    """Repair what rules allow, each only if it still is a difference; idempotent.

    Returns:
        The differences that were repaired, and those that could not be, with the reason.

    Raises:
        psycopg.Error: the warehouse is away.
    """
    repaired: list[Difference] = []
    failed: list[str] = []
    for found in differences:
        if found.is_repairable:
            with _noted(here, failed, f"{found.kind}, {found.what}"):
                REPAIRS[found.kind](here, scope, found)
                repaired.append(found)
                log.info("Repaired (%s): %s, %s: %s.", *_words(found))
    return Findings(repaired, failed)


def _words(found: Difference) -> tuple[str, str, str, str]:
    return (found.rule, found.kind, found.what, found.found)


def _seen_twice(
    here: Installation, scope: Scope, comparison: Comparison, item: Any
) -> list[Difference]:
    first = comparison.differences(here, scope, item)
    if not first:
        return []
    again = comparison.again(here, item)
    second = [] if again is None else comparison.differences(here, scope, again)
    return [found for found in first if found in second]


@contextmanager
def _noted(here: Installation, faults: list[str], where: str) -> Iterator[None]:
    """Note an error and go on, unless the warehouse is gone, without which nothing is known."""
    try:
        yield
    except Exception as error:
        if here.places.warehouse.closed:
            raise
        faults.append(without_secrets(f"{where}: {type(error).__name__}: {error}"))
