"""A whole pass: every comparison one after the other, and the repairs that rules allow."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from random import sample
from typing import TYPE_CHECKING, Any

from reporting.core.deadline import NEVER, Deadline
from reporting.core.reconcile.comparisons import COMPARISONS, REPAIRS, Comparison
from reporting.core.reconcile.difference import Difference, Findings
from reporting.core.redact import without_secrets

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Scope
    from reporting.core.reconcile.installation import Installation

log = logging.getLogger(__name__)
MOST = 100_000  # things that one comparison looks at in a pass


def reconcile(here: Installation, scope: Scope, deadline: Deadline = NEVER) -> Findings:
    """Compare everything in scope; nothing is changed.

    Each difference is looked at twice, so that what is being published, cleared or removed right
    now is none. What cannot be looked at keeps nothing else from being looked at.

    Args:
        here: where everything is.
        scope: what is compared.
        deadline: each comparison gets its share of the time until then; the rest is unseen.

    Raises:
        psycopg.Error: the warehouse is away.
    """
    first_look = here.remembering()
    differences: dict[Difference, None] = {}
    unseen: list[str] = []
    for done, comparison in enumerate(COMPARISONS):
        looks = _Looks(first_look, here, scope, comparison)
        items = _things(looks, unseen)
        share = deadline.share(len(COMPARISONS) - done)
        differences |= dict.fromkeys(_compared(looks, items, unseen, share))
    return Findings(list(differences), unseen)


def repair(
    here: Installation,
    scope: Scope,
    differences: Sequence[Difference],
    deadline: Deadline = NEVER,
) -> Findings:
    """Repair what rules allow, each only if it still is a difference; idempotent.

    Args:
        here: where everything is.
        scope: what was compared.
        differences: what was found.
        deadline: when it is too late to begin with another one.

    Returns:
        The differences that were repaired, and those that could not be, with the reason.

    Raises:
        psycopg.Error: the warehouse is away.
    """
    repaired: list[Difference] = []
    failed: list[str] = []
    repairable = [found for found in differences if found.is_repairable]
    for number, found in enumerate(repairable):
        if deadline.is_over():
            failed.append(f"repairs: {len(repairable) - number:,} were left, the time was over")
            break
        with _noted(here, failed, f"{found.kind}, {found.what}"):
            REPAIRS[found.kind](here, scope, found)
            repaired.append(found)
            log.info("Repaired (%s): %s, %s: %s.", *_words(found))
    return Findings(repaired, failed)


def _words(found: Difference) -> tuple[str, str, str, str]:
    return (found.rule, found.kind, found.what, found.found)


@dataclass(frozen=True)
class _Looks:
    """One comparison, and through what it looks: a second time anew."""

    first: Installation
    second: Installation
    scope: Scope
    comparison: Comparison

    def differences(self, item: Any) -> list[Difference]:
        """Return what is seen twice of one thing."""
        first = self.comparison.differences(self.first, self.scope, item)
        if not first:
            return []
        again = self.comparison.again(self.second, item)
        if again is None:
            return []
        second = self.comparison.differences(self.second, self.scope, again)
        return [found for found in first if found in second]


def _things(looks: _Looks, unseen: list[str]) -> list[Any]:
    """Return what is to be looked at, as far as it can be found."""
    items: list[Any] = []
    with _noted(looks.second, unseen, looks.comparison.what):
        items.extend(islice(looks.comparison.items(looks.first, looks.scope), MOST + 1))
    if len(items) > MOST:
        unseen.append(f"{looks.comparison.what}: only the first {MOST:,} were looked at")
    return items[:MOST]


def _compared(
    looks: _Looks, items: Sequence[Any], unseen: list[str], deadline: Deadline
) -> list[Difference]:
    """Return what differs, in the order of the things.

    Lots decide which come first, so that what was too late once is not too late each time.
    """
    what = looks.comparison.what
    found: dict[int, list[Difference]] = {}
    for done, number in enumerate(sample(range(len(items)), len(items))):
        if deadline.is_over():
            unseen.append(f"{what}: {len(items) - done:,} were not looked at, the time was over")
            break
        with _noted(looks.second, unseen, f"{what}, {items[number]}"):
            found[number] = looks.differences(items[number])
    return [one for number in sorted(found) for one in found[number]]


@contextmanager
def _noted(here: Installation, faults: list[str], where: str) -> Iterator[None]:
    """Note an error and go on, unless the warehouse is gone, without which nothing is known."""
    try:
        yield
    except Exception as error:
        if here.places.warehouse.closed:
            raise
        faults.append(without_secrets(f"{where}: {type(error).__name__}: {error}"))
