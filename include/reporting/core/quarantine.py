"""Rows that do not fit, set aside with the reason: staged beside the data, published with it (R33).

They are part of the attempt: its manifest names them, and what undoes it removes them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from reporting.core.fit import Refused

QUARANTINE = "quarantine.jsonl"


def lines_of(refused: Sequence[Refused]) -> bytes:
    """Return the rows as JSON lines."""
    return "".join(json.dumps(asdict(row)) + "\n" for row in refused).encode()


def refused_from(lines: bytes) -> list[Refused]:
    """Read what `lines_of` has written."""
    return [Refused(**json.loads(line)) for line in lines.splitlines()]
