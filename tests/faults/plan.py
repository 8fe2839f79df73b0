"""A plan: one run of a report, and all that is done to it. The same seed gives the same plan."""

from __future__ import annotations

from dataclasses import dataclass

from tests.faults.subject import Case

END, DEFERRED = "end", "deferred"


@dataclass(frozen=True)
class Moment:
    """When something is done from outside.

    Attributes:
        task: the task that is looked at.
        point: the point at which its process is held meanwhile; or `deferred`, or `end`, which is
            the end of the run.
    """

    task: str
    point: str

    @property
    def is_held(self) -> bool:
        """Whether a process waits until it is done."""
        return self.point not in (END, DEFERRED)

    def __str__(self) -> str:
        """Return it in words."""
        return "the end" if self.point == END else f"{self.task}/{self.point}"


@dataclass(frozen=True)
class Strike:
    """A fault inside the process of a task, once.

    Attributes:
        task: whose process.
        point: name of the point.
        what: the fault.
    """

    task: str
    point: str
    what: str

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.task}/{self.point}: {self.what}"


@dataclass(frozen=True)
class ServiceFault:
    """A fault of the service that a source asks.

    Attributes:
        task: who asks.
        what: the fault.
        at: at which request it is played, from 1.
    """

    task: str
    what: str
    at: int

    def __str__(self) -> str:
        """Return it in words."""
        return f"service of {self.task}: {self.what} at request {self.at}"


@dataclass(frozen=True)
class StackFault:
    """The sudden end of a process, or of database sessions; it hits all runs under way.

    Attributes:
        what: a service of the stack, `worker` or `sessions`.
        when: the moment.
    """

    what: str
    when: Moment

    def __str__(self) -> str:
        """Return it in words."""
        return f"kill {self.what} at {self.when}"


@dataclass(frozen=True)
class Action:
    """What a person does.

    Attributes:
        what: one of `tests.faults.drawing.ACTIONS`.
        task: to which task; empty when it is done to the run.
        when: the moment.
    """

    what: str
    task: str
    when: Moment

    def __str__(self) -> str:
        """Return it in words."""
        return f"{' '.join(filter(None, (self.what, self.task)))} at {self.when}"


Outside = StackFault | Action
Fault = Strike | ServiceFault | Outside


@dataclass(frozen=True)
class Plan:
    """One run of a report, and what is done to it.

    Attributes:
        seed: what it was drawn from.
        case: what it reports on.
        faults: in the order in which they were drawn.
    """

    seed: int
    case: Case
    faults: tuple[Fault, ...]

    @property
    def run_id(self) -> str:
        """Airflow's id of the run."""
        return f"chaos_{self.seed}"

    @property
    def strikes(self) -> list[Strike]:
        """What happens inside the processes of tasks."""
        return [fault for fault in self.faults if isinstance(fault, Strike)]

    @property
    def service_faults(self) -> list[ServiceFault]:
        """What services do."""
        return [fault for fault in self.faults if isinstance(fault, ServiceFault)]

    @property
    def outside(self) -> list[Outside]:
        """What is done from outside."""
        return [fault for fault in self.faults if isinstance(fault, StackFault | Action)]

    def __str__(self) -> str:
        """Return the whole plan in one line."""
        told = "; ".join(map(str, self.faults)) or "no fault"
        return f"seed {self.seed}: {self.case.report} {self.case.period} x{self.case.size}: {told}"
