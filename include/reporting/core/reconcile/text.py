"""What an alert says of differences that a person has to decide on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reporting.core.reconcile.difference import Difference

MOST = 20


def receipt_of(difference: Difference) -> str:
    """Return what makes the alert of a difference unique: it is told once."""
    digest = hashlib.sha256(json.dumps(asdict(difference)).encode()).hexdigest()[:16]
    return f"difference {digest} of {difference.report or 'no report'}"


def subject_of(report: str | None, differences: Sequence[Difference]) -> str:
    """Return the subject line."""
    count = len(differences)
    counted = "1 difference" if count == 1 else f"{count} differences"
    return f"Reconciliation: {counted} in {f'report {report}' if report else 'no known report'}"


def text_of(report: str | None, differences: Sequence[Difference]) -> str:
    """Return the text: what differs, and by which command it is mended."""
    lines = ["What was published and what is kept of it differ. No rule repairs that.", ""]
    for found in differences[:MOST]:
        lines += [
            f"{found.kind}: {found.what}",
            f"  expected: {found.expected}",
            f"  found:    {found.found}",
            f"  to mend:  {found.advice}",
            "",
        ]
    if len(differences) > MOST:
        lines += [f"… and {len(differences) - MOST} more.", ""]
    only = f" --report {report}" if report else ""
    return "\n".join([*lines, f"To see all that differs now: reports reconcile{only}"])
