"""Health: what has piled up, what is late, what stands still, and what is free."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Backlog:
    """Dead letters that wait.

    Attributes:
        count: how many.
        oldest_at: when the oldest died last; None when there is none.
    """

    count: int
    oldest_at: datetime | None


@dataclass(frozen=True)
class OverdueRow:
    """A report that is late.

    Attributes:
        report: its name.
        title: what people call it.
        run_id: the run that takes longer than usual; None when the due one has not started.
        due_at: when it should have started, or ended.
        timezone: IANA name of its zone.
    """

    report: str
    title: str
    run_id: str | None
    due_at: datetime
    timezone: str


@dataclass(frozen=True)
class StalledRow:
    """A step that stands still.

    Attributes:
        report: name of the report.
        run_id: Airflow's run id.
        step: task id.
        state: Airflow's state of it.
        since: its last sign of life, when it was put in line, or by when its waiting was to end.
        timezone: IANA name of the report's zone.
    """

    report: str
    run_id: str
    step: str
    state: str
    since: datetime
    timezone: str


@dataclass(frozen=True)
class DifferenceRow:
    """One difference, as the last reconciliation has kept it.

    Attributes:
        kind: which comparison has found it, such as `published rows`.
        report: whose it is; None when no report is known.
        run_id: Airflow run it belongs to, if it is known.
        what: what was compared: a table of a release, a file, a claim.
        expected: what should have been.
        got: what was.
        is_repaired: whether a rule has repaired it.
        advice: the command by which a person mends it; empty where a rule does.
    """

    kind: str
    report: str | None
    run_id: str | None
    what: str
    expected: str
    got: str
    is_repaired: bool
    advice: str


@dataclass(frozen=True)
class ReconciliationRow:
    """What the last reconciliation found.

    Attributes:
        at: when it ended.
        differences: how many differences there were: orphans and counts that differ.
        repaired: how many of them a rule has repaired.
        unseen: how many things could not be looked at.
        found: the differences of reports that may be read, those that are left first; some
            hundred are kept.
    """

    at: datetime
    differences: int
    repaired: int
    unseen: int
    found: tuple[DifferenceRow, ...]


@dataclass(frozen=True)
class QueueDepth:
    """A queue of the broker.

    Attributes:
        name: its name.
        messages: how many wait in it; None when there is no such queue.
    """

    name: str
    messages: int | None


@dataclass(frozen=True)
class PoolRow:
    """A pool of Airflow: so many of its tasks may run at once.

    Attributes:
        name: its name.
        total: how many slots; None for no limit.
        running: how many are in use.
        queued: how many are waited for: by tasks in line, and by those a worker is to pick up.
        free: how many more may start; None for no limit.
    """

    name: str
    total: int | None
    running: int
    queued: int
    free: int | None


@dataclass(frozen=True)
class Health:
    """How the installation is.

    Attributes:
        backlog: dead letters; None when the warehouse does not answer.
        running: runs of reports under way.
        queued: runs of reports in line.
        overdue: reports that are late.
        stalled: steps that stand still.
        swept_at: when the janitor was last at work; None for never, or when nobody can tell.
        reconciliation: what the last one found; None for never, or when nobody can tell.
        queues: queues of the broker; None when it does not answer, empty when there is none.
        pools: pools of worker slots.
        unseen: what could not be asked, in words.
        parallelism: how many tasks the executor of one scheduler runs at once, whatever the pools
            allow, as the API server is configured; None when that is unknown.
    """

    backlog: Backlog | None
    running: int
    queued: int
    overdue: tuple[OverdueRow, ...]
    stalled: tuple[StalledRow, ...]
    swept_at: datetime | None
    reconciliation: ReconciliationRow | None
    queues: tuple[QueueDepth, ...] | None
    pools: tuple[PoolRow, ...]
    unseen: tuple[str, ...]
    parallelism: int | None = None
