"""The cases that are under way, and the faults their services are to play."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock

from tests.faults.plan import Plan
from tests.faults.subject import Case

Key = tuple[str, str]  # report and period


@dataclass
class Orders:
    """What services know of the plans; safe to be asked from many threads.

    Attributes:
        plans: plan per report and period.
    """

    plans: dict[Key, Plan] = field(default_factory=dict)
    _counts: dict[tuple[Key, str], int] = field(default_factory=dict)
    _later: set[tuple[Key, str, str]] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def take(self, plan: Plan) -> None:
        """Know a plan from now on."""
        self.plans[plan.case.key] = plan

    def case(self, report: str, period: str) -> Case:
        """Return what is asked for."""
        return self.plans[report, period].case

    def due(self, key: Key, task: str) -> str | None:
        """Count a request of a task, and return the fault to play at it, if any."""
        with self._lock:
            count = self._counts[key, task] = self._counts.get((key, task), 0) + 1
        faults = self.plans[key].service_faults
        return next((f.what for f in faults if (f.task, f.at) == (task, count)), None)

    def put_off(self, key: Key, task: str, fault: str) -> None:
        """Keep a fault for a later request of another kind."""
        with self._lock:
            self._later.add((key, task, fault))

    def take_off(self, key: Key, task: str, fault: str) -> bool:
        """Say whether such a fault was kept; it is used up."""
        with self._lock:
            is_kept = (key, task, fault) in self._later
            self._later.discard((key, task, fault))
        return is_kept
