"""The service that the harness's own reports ask by messages, and its faults."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Thread
from typing import Any
from urllib.parse import quote

from reporting.core.service.broker import Broker, reply_queue
from reporting.messages import Reply, Request, reply_bytes
from reporting.service import Refused, Working, serve
from tests.faults.orders import Orders
from tests.faults.reports import QUEUE
from tests.faults.samples import rows_of
from tests.integration.message_service import publish

AT_ONCE = 4  # one that is silent must not hold up the others
LATE_SECONDS, SILENT_SECONDS = 6.0, 25.0


@dataclass(frozen=True)
class MessageService:
    """Answers requests until the program ends, however often the broker is killed.

    Attributes:
        broker: where the messages are.
        orders: the cases that are under way, and the faults to play.
    """

    broker: Broker
    orders: Orders

    def start(self) -> None:
        """Serve in the background."""
        at = self.broker
        password = quote(at.password, safe="")
        url = f"amqp://{at.login}:{password}@{at.host}:{at.port}/{quote(at.vhost, safe='')}"
        for _ in range(AT_ONCE):
            Thread(target=serve, args=(url, QUEUE, self.rows), daemon=True).start()

    def rows(self, request: Request) -> Iterator[dict[str, Any] | Working]:
        """Answer one request."""
        case = self.orders.case(request.asked["report"], request.asked["period"])
        rows = rows_of(case, request.source)
        match self.orders.due(case.key, f"fetch_{request.source}"):
            case "late":
                yield Working("late")
                time.sleep(LATE_SECONDS)
            case "silent":
                time.sleep(SILENT_SECONDS)
            case "refuses":
                raise Refused("ordered by the harness")
            case "twice":
                self._send(request, reply_bytes(Reply(request.key, 1, is_last=True, rows=rows)))
            case "junk":
                self._send(request, b"junk")
        yield from rows

    def _send(self, request: Request, body: bytes) -> None:
        with self.broker.channel() as channel:
            publish(channel, reply_queue(request.key), body)
