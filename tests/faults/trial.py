"""What is tested: some reports, and how each of their runs is made ready."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.faults.ground import Ground
from tests.faults.plan import Plan
from tests.faults.subject import Figures, Subject

Prepare = Callable[[Ground, Plan], Figures]


@dataclass(frozen=True)
class Trial:
    """Some reports under test.

    Attributes:
        reports: their names.
        subjects: tells what they are, on a stack that knows them.
        prepare: fills the sources for a plan, where that is to be done, and returns the figures
            that each release must have.
    """

    reports: Sequence[str]
    subjects: Callable[[Ground], Sequence[Subject]]
    prepare: Prepare
