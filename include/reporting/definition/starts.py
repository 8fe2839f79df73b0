"""What starts a run by itself: the clock, or something that happened upstream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporting.definition.checked import checked
from reporting.definition.names import MAX_QUEUE_BYTES, check_line, check_name, is_queue_name
from reporting.errors import DefinitionError


@checked
@dataclass(frozen=True)
class OnSchedule:
    """Each tick of the report's `schedule` starts a run."""


@checked
@dataclass(frozen=True)
class UpstreamEvent:
    """Something upstream says that a run can start.

    It is told by updating the Airflow asset of that name, over REST or from a DAG, or by a message
    on a queue. It may name the period and params of the run; else the run takes the last period
    that was complete. Reports that name the same event each start a run of their own.

    Attributes:
        name: of the event and of its Airflow asset.
        queue: queue on which it is told as well; empty for none. It is made if it is not there.
        conn_id: Airflow connection of the broker; its schema is the virtual host.
    """

    name: str
    queue: str = ""
    conn_id: str = "reports_broker"

    def __post_init__(self) -> None:
        """Refuse names that are none."""
        check_name("UpstreamEvent", self.name)
        where = f"UpstreamEvent {self.name!r}"
        check_line(f"{where}: conn_id", self.conn_id)
        if self.queue and not _is_queue(self.queue):
            raise DefinitionError(
                f"{where}: queue={self.queue!r}; allowed: one line of up to {MAX_QUEUE_BYTES} "
                "bytes that does not begin with 'amq.', or nothing."
            )


Start = OnSchedule | UpstreamEvent


def start_names(starts: Sequence[Start]) -> list[str]:
    """Return one name per start, by which a repeated one is known."""
    return [start.name if isinstance(start, UpstreamEvent) else "OnSchedule()" for start in starts]


def _is_queue(text: str) -> bool:
    is_line = bool(text.strip()) and text.isprintable()
    return is_line and is_queue_name(text)
