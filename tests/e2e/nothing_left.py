"""What is left on a stack when all its tests have ended: nothing that a run has made.

What stays by design is not looked at: releases, their files, receipts, the ledger, and the messages
of dead letters that nobody has settled, which wait for a person.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from embedded_stack import broker_api
from embedded_stack.layout import CHECKOUT
from reporting.core.warehouse.dead_letters import payload_key
from tests.e2e.live import Live

# The janitor leaves a run that has failed just now alone for 20 seconds.
PATIENCE_SECONDS = 40.0
EXPIRE = (
    "UPDATE reporting.staged_run SET keep_until = now() WHERE keep_until > now() RETURNING 1",
    (
        "UPDATE reporting.dead_letter SET settled_at = settled_at - interval '31 days' "
        "WHERE state <> 'waiting' RETURNING 1"
    ),
)
WAITING = "SELECT digest, queue FROM reporting.dead_letter WHERE state = 'waiting'"
ROWS = {
    "claim": "SELECT report, run_id FROM reporting.claim",
    "note of staged data": "SELECT report, run_id FROM reporting.staged_run",
}


def demand_nothing_left(live: Live) -> None:
    """Let the time of all that is kept for a while pass, the janitor see it, and look everywhere.

    Raises:
        AssertionError: something is left; it names what.
    """
    live.forget_connections()  # a test may have killed a server since
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (left := _left_by_janitor(live)) and time.monotonic() < deadline:
        pass
    assert not left, "\n".join(["The tests have left something behind:", *left])


def _left_by_janitor(live: Live) -> list[str]:
    for query in EXPIRE:
        live.rows(query)
    live.janitor()
    return [f"{kind}: {name}" for kind, names in _left(live) for name in names]


def _left(live: Live) -> Iterator[tuple[str, list[str]]]:
    yield "run under way", list(_under_way(live))
    for kind, query in ROWS.items():
        yield kind, [" ".join(row) for row in live.rows(query)]
    yield "staged object", sorted({*live.keys("staging", "")} - _letters(live))
    for bucket in ("staging", "reports"):
        yield f"open upload in {bucket}", list(_uploads(live, bucket))
    yield "reply queue", [name for name in _queues(live) if name.startswith("reports.reply.")]
    yield "difference", _differences(live)


def _under_way(live: Live) -> Iterator[str]:
    for state in ("queued", "running"):
        for run in live.api.pages("dags/~/dagRuns", "dag_runs", state=state):
            yield f"{run['dag_id']} {run['dag_run_id']}"


def _letters(live: Live) -> set[str]:
    """Return where the messages of letters are kept that wait for a person to decide."""
    return {payload_key(digest, queue) for digest, queue in live.rows(WAITING)}


def _uploads(live: Live, bucket: str) -> Iterator[str]:
    pages = live.s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket)
    return (upload["Key"] for page in pages for upload in page.get("Uploads", ()))


def _queues(live: Live) -> list[str]:
    found: list[dict[str, Any]] = broker_api.call(live.stack.layout, "GET", "/queues/reports")
    return [queue["name"] for queue in found]


def _differences(live: Live) -> list[str]:
    """Return what the command finds, of things as young as a test."""
    done = subprocess.run(
        [str(CHECKOUT / ".venv" / "bin" / "reports"), "reconcile", "--grace", "0"],
        env=os.environ | live.stack.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode == 0:
        return []
    return [done.stdout + done.stderr]
