"""How the installation is, as the API answers it."""

from datetime import datetime

from pydantic import Field

from report_center.api.run_models import Answer


class Backlog(Answer):
    """Dead letters that wait."""

    count: int
    oldest_at: datetime | None


class Overdue(Answer):
    """A report that is late."""

    report: str
    title: str
    run_id: str | None = Field(description="null when the run that is due has not started")
    due_at: datetime


class Stalled(Answer):
    """A step that stands still."""

    report: str
    run_id: str
    step: str
    state: str
    since: datetime


class FoundDifference(Answer):
    """A difference that the last reconciliation found."""

    kind: str
    report: str | None
    run_id: str | None
    what: str
    expected: str
    got: str
    is_repaired: bool
    advice: str = Field(description="the command that mends it; empty where a rule does")


class Reconciliation(Answer):
    """What the last reconciliation found."""

    at: datetime
    differences: int
    repaired: int
    unseen: int
    found: list[FoundDifference] = Field(
        description="the first hundred, what is left first; only of reports you may read"
    )


class QueueDepth(Answer):
    """A queue of the broker."""

    name: str
    messages: int | None = Field(description="null when there is no such queue")


class Pool(Answer):
    """A pool of Airflow: so many of its tasks may run at once."""

    name: str
    total: int | None = Field(description="null for no limit")
    running: int
    queued: int
    free: int | None


class Health(Answer):
    """How the installation is."""

    backlog: Backlog | None
    running: int
    queued: int
    overdue: list[Overdue]
    stalled: list[Stalled]
    swept_at: datetime | None = Field(description="when the janitor was last at work")
    reconciliation: Reconciliation | None
    queues: list[QueueDepth] | None
    pools: list[Pool]
    parallelism: int | None = Field(
        description="tasks that the executor of one scheduler runs at once, whatever the pools "
        "allow; null when unknown"
    )
    unseen: list[str] = Field(description="what could not be asked, in words")
