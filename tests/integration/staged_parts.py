"""Stages a source of several parts, and watches how they are read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from reporting.core.inputs import Inputs
from reporting.core.manifest import Manifest
from reporting.core.objects import Bucket
from reporting.core.staging import Staging
from tests.integration.staged_tables import COLUMNS, batch
from tests.specimens import a_run

PARTS = 5


def stage_parts(staging: Staging) -> Manifest:
    """Stage five parts of a hundred rows; the names tell them apart."""
    with staging.attempt("orders", COLUMNS) as attempt:
        for number in range(PARTS):
            attempt.open_writer().write(batch(range(100), f"part {number}"))
        return attempt.commit({})


def inputs_of(manifest: Manifest, client: Any) -> Inputs:
    """Return the inputs of a run whose only source is `orders`."""
    return Inputs(a_run(), Bucket(client, "staging"), {"orders": manifest}, {"orders": COLUMNS})


def number_of(table: pa.Table) -> int:
    """Return which part a table is."""
    (name,) = set(table["name"].to_pylist())
    return int(name.removeprefix("part "))


class WatchingClient:
    """Passes calls on and notes which objects are asked for.

    Attributes:
        keys: of the objects, one for every range.
        before: called with the number of ranges so far, before the next one is asked for.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self.keys: list[str] = []
        self.before: Callable[[int], Any] = lambda _count: None

    def get_object(self, **wanted: Any) -> Any:
        self.before(len(self.keys))
        self.keys.append(wanted["Key"])
        return self._client.get_object(**wanted)

    @property
    def parts(self) -> int:
        """How many objects were asked for."""
        return len(set(self.keys))
