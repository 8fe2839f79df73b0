"""Which plans must end well: those whose every fault is one that trying again mends."""

from __future__ import annotations

from collections import Counter

from tests.faults.drawing import AGAIN, BACKFILL
from tests.faults.plan import Action, Plan, ServiceFault, Strike
from tests.faults.points import FATAL, HOLD

FOR_GOOD = ("refused", "login_page", "error_object")  # of services; asking again does not help
HARMLESS = (AGAIN, BACKFILL)  # whoever comes second stands back, or makes a version of its own


def must_succeed(plan: Plan, tries: int) -> bool:
    """Say whether the run of a plan must be green, however its faults fall.

    Args:
        plan: what is played; of one that kills a part of the stack it is not known.
        tries: how often a step may fail and is tried again.
    """
    blows = Counter(fault.task for fault in plan.faults if isinstance(fault, Strike | ServiceFault))
    return all(map(_is_mended, plan.faults)) and max(blows.values(), default=0) <= tries


def _is_mended(fault: object) -> bool:
    match fault:
        case Strike():
            return fault.what not in (FATAL, HOLD)  # held for good, it is over its time
        case ServiceFault():
            return fault.what not in FOR_GOOD
        case Action():
            return fault.what in HARMLESS
        case _:
            return False
