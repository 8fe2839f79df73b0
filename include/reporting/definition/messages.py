"""Sources that are asked by a message on RabbitMQ, and answer by messages."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from reporting.definition.checked import checked
from reporting.definition.jobs import SHORTEST_PAUSE, texts_of
from reporting.definition.names import MAX_QUEUE_BYTES, is_queue_name
from reporting.definition.placeholders import BUILT_IN, check_placeholders
from reporting.definition.source import Source
from reporting.errors import DefinitionError


@checked
@dataclass(frozen=True)
class MessageSource(Source):
    """Rows of a service that is asked on a queue and answers on one made for the request.

    The messages are described in docs/reference/messages.md; `reporting.service` answers them in
    Python.

    Attributes:
        conn_id: Airflow connection of the broker; its schema is the virtual host.
        queue: the queue on which the service takes requests.
        request: what is asked; placeholders in its texts are replaced as in `query` of an
            `HttpSource`.
        stalled_after: a service that sends neither rows nor a sign of life for so long has lost
            the request; the fetch fails and is tried again.
        longest_pause: longest wait between two looks at the reply queue.
    """

    queue: str
    request: Mapping[str, Any] = field(default_factory=dict)
    longest_pause: timedelta = timedelta(seconds=5)

    def _check_own(self) -> None:
        super()._check_own()
        where = f"Source {self.name!r}"
        if not is_queue_name(self.queue):
            raise DefinitionError(
                f"{where}: queue={self.queue!r}; allowed: up to {MAX_QUEUE_BYTES} bytes that do "
                "not begin with 'amq.'."
            )
        if self.longest_pause < SHORTEST_PAUSE:
            raise DefinitionError(
                f"{where}: longest_pause={self.longest_pause}; allowed: {SHORTEST_PAUSE} or more."
            )

    @property
    def _texts(self) -> tuple[str, ...]:
        return ("queue",)

    def check_use(self, params: Collection[str], folder: Path) -> None:  # noqa: ARG002 - no file
        """Refuse a text of the request with a placeholder that nothing fills."""
        for place, text in texts_of("request", self.request):
            check_placeholders(f"Source {self.name!r}: {place}", text, (*BUILT_IN, *params))
