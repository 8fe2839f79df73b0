"""Programs of RabbitMQ for tests that start none: every machine has the same."""

from pathlib import Path

import pytest

from embedded_stack import rabbitmq
from embedded_stack.rabbitmq import RabbitMq

PROGRAMS = RabbitMq(
    Path("/opt/usr/lib/erlang/erts-13.1.5"),
    Path("/opt/usr/lib/rabbitmq/lib/rabbitmq_server-3.10.8"),
)


def stand_in(monkeypatch: pytest.MonkeyPatch, programs: RabbitMq | None = PROGRAMS) -> None:
    """Let the stack find these programs, or none."""
    monkeypatch.setattr(rabbitmq, "find", lambda: programs)
