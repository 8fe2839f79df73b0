"""One row of the page of faults."""

from __future__ import annotations

from dataclasses import dataclass

AGAIN = "tried again"
ENDS = "ends the fetch"
WAITS = "waited out"
LETTER = "dead letter"
NONE = "no harm"


@dataclass(frozen=True)
class Fault:
    """A fault that reaches a source.

    Attributes:
        source: class of the source, and its way of waiting if it has several.
        fault: what happens.
        outcome: one of those above.
        then: what comes of it in particular.
        file: file of the test, below `tests`.
        test: name of the test.
    """

    source: str
    fault: str
    outcome: str
    then: str
    file: str
    test: str
