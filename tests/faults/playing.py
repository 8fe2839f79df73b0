"""Plays one plan from the start of its run to the end of all runs for its period."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property

from tests.faults import killing
from tests.faults.drawing import marker_of
from tests.faults.found import FoundRun
from tests.faults.ground import Ground
from tests.faults.operating import Operator
from tests.faults.plan import DEFERRED, END, Outside, Plan, StackFault

LONGEST_SECONDS, PAUSE_SECONDS = 420.0, 0.5
QUIET_LOOKS = 3  # a run that is being cleared looks ended for an instant


@dataclass
class Play:
    """One plan being played.

    Attributes:
        ground: where.
        plan: what.
        notes: what happened that the plan does not say.
    """

    ground: Ground
    plan: Plan
    notes: list[str] = field(default_factory=list)

    def play(self) -> list[FoundRun]:
        """Play the plan and return the runs for its period."""
        for fault in self.plan.faults:
            if marker := marker_of(fault):
                self.ground.markers.lay(self.plan.case.report, self.plan.run_id, marker)
        # It is to work, also where its figures are published to be compared with.
        self._operator.start(self.plan.run_id, refresh=True)
        try:
            self._until_the_end()
        finally:
            for outside in self.plan.outside:
                self._let_go(outside)
        return self._runs()

    def _until_the_end(self) -> None:
        due = list(self.plan.outside)
        deadline = time.monotonic() + LONGEST_SECONDS
        quiet = 0
        while quiet < QUIET_LOOKS and time.monotonic() < deadline:
            is_over = self._is_over()
            quiet = quiet + 1 if is_over else 0
            for fault in [fault for fault in due if self._is_reached(fault, is_over=is_over)]:
                due.remove(fault)
                self._do(fault)
                quiet = 0
            time.sleep(PAUSE_SECONDS)
        self.notes += [f"not reached: {fault}" for fault in due]

    def _is_over(self) -> bool:
        # A run that was deleted has ended, too.
        return all(run.state in ("success", "failed") and not run.under_way for run in self._runs())

    def _is_reached(self, fault: Outside, *, is_over: bool) -> bool:
        when, report, run_id = fault.when, self.plan.case.report, self.plan.run_id
        if when.point == END:
            return is_over
        if when.is_held:
            return self.ground.markers.has_struck(report, run_id, when.task, when.point)
        return self._task(when.task)[0] == DEFERRED

    def _do(self, fault: Outside) -> None:
        try:
            said = self._kill(fault) if isinstance(fault, StackFault) else self._operator.act(fault)
        finally:
            self._let_go(fault)
        if said:
            self.notes.append(f"refused: {fault}: {said[:120]}")
        if isinstance(fault, StackFault):
            with self.ground.mending:
                killing.mend(self.ground)
            self.ground.kills.append(time.monotonic())

    def _let_go(self, fault: Outside) -> None:
        if fault.when.is_held:
            where = (self.plan.case.report, self.plan.run_id, fault.when.task)
            self.ground.markers.let_go(*where, fault.when.point)

    def _kill(self, fault: StackFault) -> str:
        self.ground.kills.append(time.monotonic())
        match fault.what:
            case "worker":
                pid = self._task(fault.when.task)[1]
                if pid is None:
                    return "no process"
                killing.kill_worker(pid)
            case "sessions":
                killing.end_sessions(self.ground)
            case service:
                with self.ground.mending:
                    killing.kill_service(self.ground, service)
        return ""

    def _task(self, task: str) -> tuple[str | None, int | None]:
        return self.ground.records.task(self.plan.case.report, self.plan.run_id, task)

    def _runs(self) -> list[FoundRun]:
        return self.ground.records.runs_of(self.plan.case.report, self.plan.case.period)

    @cached_property
    def _operator(self) -> Operator:
        return Operator(self.ground.live().api, self.plan.case, self.plan.run_id)
