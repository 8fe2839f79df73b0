"""Reads the parts of a split query at once, each over a connection of its own."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.copy_rows import copy_into
from reporting.core.fetch.snapshot import CANCEL_SECONDS, Connect, snapshot
from reporting.core.intake import Intake
from reporting.errors import IntegrityError

if TYPE_CHECKING:
    import psycopg

    from reporting.core.fetch.split import Split
    from reporting.core.staging import Attempt
    from reporting.definition.sources import PostgresSource

CANCEL_AGAIN_SECONDS = 0.2


def read_split(
    source: PostgresSource, connect: Connect, exported: str, parts: Split, attempt: Attempt
) -> int:
    """Take all parts, seen as they are in the exported snapshot; return how many rows.

    The first part that fails ends the others.

    Raises:
        ContractError: rows do not fit the declared columns.
        IntegrityError: the parts do not add up to the whole.
    """
    number = len(parts.statements)
    where = f"Source {source.name!r}"
    intakes = [
        Intake(source, attempt, f"{where}, shard {n + 1} of {number}") for n in range(number)
    ]

    def read(connection: psycopg.Connection[Any], intake: Intake, statement: bytes) -> int:
        with snapshot(connection, source.time_limit, exported):
            return copy_into(intake, connection, statement, parts.names)

    with ExitStack() as opened:
        connections = [opened.enter_context(connect()) for _ in intakes]
        with ThreadPoolExecutor(number, "shard") as pool:
            reading: dict[Future[int], psycopg.Connection[Any]] = {}
            try:
                for each in zip(connections, intakes, parts.statements, strict=True):
                    reading[pool.submit(read, *each)] = each[0]
                rows = sum(done.result() for done in as_completed(reading))
            except BaseException:
                _end(reading)
                raise
    if rows != parts.rows:
        raise IntegrityError(
            f"{where}: {rows} rows arrived in {number} shards, the whole query has {parts.rows}; "
            "nothing was committed. Shard by a column whose values do not change between readings."
        )
    return rows


def _end(reading: Mapping[Future[int], psycopg.Connection[Any]]) -> None:
    """Cancel what is being read until all have ended; one that is about to ask needs it twice."""
    under_way = set(reading)
    while under_way:
        for future in under_way:
            reading[future].cancel_safe(timeout=CANCEL_SECONDS)
        under_way = wait(under_way, CANCEL_AGAIN_SECONDS).not_done
