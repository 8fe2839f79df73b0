"""What a hostile service sends for each of many requests: the same for the same seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from reporting.messages import Reply, Request, reply_bytes

POISON_SHARE, LOSS_SHARE = 0.05, 0.01
CONTRADICTION = "contradiction"
NO_JSON, OTHER_KEY, OTHER_VERSION = "no JSON", "it answers another request", "of version 1"
KINDS = (NO_JSON, OTHER_KEY, OTHER_VERSION, CONTRADICTION)
MOST_PARTS, MOST_ROWS = 4, 20
ROW_NUMBERS = 1000  # of one request, so that no row belongs to two


@dataclass(frozen=True)
class Plan:
    """What is sent for all requests.

    Attributes:
        seed: of everything that is drawn.
        count: how many requests.
    """

    seed: int
    count: int

    def rows(self, number: int) -> list[dict[str, Any]]:
        """Return the rows that request `number` is to be answered with."""
        count = self._random(number, "rows").randint(0, MOST_ROWS)
        first = number * ROW_NUMBERS
        return [{"id": first + n, "name": f"ü{number}"} for n in range(count)]

    def poison(self, number: int) -> str | None:
        """Return what kind of poison is among the answer to a request, if any."""
        random = self._random(number, "poison")
        return random.choice(KINDS) if random.random() < POISON_SHARE else None

    @property
    def poisoned(self) -> dict[int, str]:
        """The kind of poison by number of the request."""
        found = {number: self.poison(number) for number in range(self.count)}
        return {number: kind for number, kind in found.items() if kind is not None}

    def messages(self, request: Request) -> list[bytes]:
        """Return what is sent: parts out of order and twice, poison somewhere before the end."""
        number = int(request.asked["number"])
        random = self._random(number, "order")
        parts = self._parts(number, request.key, random)
        *order, last = random.sample(parts, len(parts))
        for _ in range(random.randint(0, 2)):
            order.insert(random.randint(0, len(order)), random.choice(order or [last]))
        kind = self.poison(number)
        if kind is not None and kind != CONTRADICTION:
            order.insert(random.randint(0, len(order)), self.poison_bytes(number, request.key))
        if kind == CONTRADICTION and request.asked["try"] == 1:
            # Known as one only after the part, and harmless after all parts.
            order = [parts[0], self.poison_bytes(number, request.key), *order]
            last = parts[-1]
        return [*order, last]

    def poison_bytes(self, number: int, key: str) -> bytes:
        """Return the poison among the answer to a request."""
        told = {"version": 1, "key": key, "part": 1, "rows": [{"poison": number}]}
        body: Mapping[str, Any] = {
            OTHER_KEY: {**told, "key": f"{key} and others"},
            OTHER_VERSION: {**told, "version": 99},
        }.get(self.poison(number) or "", told)
        text = json.dumps(body)
        return text.encode() if self.poison(number) != NO_JSON else f"poison {number}".encode()

    def poison_requests(self) -> list[bytes]:
        """Return what no service can take for a request."""
        return [f"no request {n}".encode() for n in range(int(self.count * POISON_SHARE))]

    def loses_connection(self, number: int, deliveries: int) -> bool:
        """Return whether the service loses its connection while it answers a request."""
        return self._random(number, f"connection {deliveries}").random() < LOSS_SHARE

    def _parts(self, number: int, key: str, random: Random) -> list[bytes]:
        rows, count = self.rows(number), random.randint(2, MOST_PARTS)
        return [
            reply_bytes(Reply(key, n + 1, is_last=n + 1 == count, rows=rows[n::count]))
            for n in range(count)
        ]

    def _random(self, number: int, what: str) -> Random:
        return Random(f"{self.seed} {number} {what}")  # noqa: S311 - to be repeated, not to hide
