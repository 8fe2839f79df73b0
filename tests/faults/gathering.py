"""Gathers all that runs may have left, from every place they reach."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from embedded_stack import broker_api
from reporting import AlertByEmail, AlertBySlack
from reporting.core.run import decode_task_key
from reporting.core.warehouse.reports import alerts_of
from tests.e2e.live import Live
from tests.faults.found import Alert, Found
from tests.faults.ground import Ground
from tests.faults.published import releases

CLOSED = """
SELECT report, run_id, clear_number, started FROM reporting.compensation
WHERE step = 'compensate' AND is_done AND report = ANY (%s)
"""
ALERTS = "SELECT subject, channel, is_sent FROM reporting.receipt WHERE subject LIKE %s"
RUN = re.compile(r"^Run: (.+)$", re.MULTILINE)
ROWS = {"claim": "reporting.claim", "note of staged data": "reporting.staged_run"}


@dataclass(frozen=True)
class Gathering:
    """Looks at everything some reports have left on a stack.

    Attributes:
        ground: the stack.
        reports: names of the reports.
    """

    ground: Ground
    reports: Sequence[str]

    def gather(self) -> Found:
        """Look everywhere once."""
        live = self.live
        return Found(
            runs=tuple(self.ground.records.runs(self.reports)),
            releases=tuple(releases(live.warehouse, self.reports)),
            closed=frozenset(live.rows(CLOSED, list(self.reports))),
            alerts=tuple(self._alerts()),
            channels=self._channels(),
            told=self._told(),
            files=frozenset(self._keys("reports")),
            leftovers={kind: tuple(names) for kind, names in self._leftovers()},
        )

    @cached_property
    def live(self) -> Live:
        """Clients of the stack."""
        return self.ground.live()

    def _alerts(self) -> Iterator[Alert]:
        for report in self.reports:
            rows = self.live.rows(ALERTS, f"failed {report} %")
            yield from (Alert(*row) for row in rows)

    def _channels(self) -> dict[str, frozenset[str]]:
        known = {report: alerts_of(self.live.warehouse, report) or () for report in self.reports}
        return {
            report: frozenset(_channel(alert) for alert in alerts)
            for report, alerts in known.items()
        }

    def _told(self) -> Counter[tuple[str, str]]:
        texts = {"email": self.live.mails("[failed]"), "slack": self.live.slacks("[failed]")}
        texts = {channel: list(map(_lines, bodies)) for channel, bodies in texts.items()}
        return Counter(
            (channel, run)
            for channel, bodies in texts.items()
            for body in bodies
            if self._is_ours(body)
            for run in RUN.findall(body)
        )

    def _is_ours(self, body: str) -> bool:
        return any(f"({report})\n" in body for report in self.reports)

    def _leftovers(self) -> Iterator[tuple[str, list[str]]]:
        yield "staged object", [_named(key) for key in self._keys("staging")]
        for bucket in ("staging", "reports"):
            yield f"open upload in {bucket}", [_named(key) for key in self._uploads(bucket)]
        for kind, table in ROWS.items():
            query = f"SELECT run_id FROM {table} WHERE report = ANY (%s)"
            yield kind, [run_id for (run_id,) in self.live.rows(query, list(self.reports))]
        yield "reply queue", self._queues()
        jobs = self.ground.http.jobs.items()
        yield "job", [f"{job.case.period} {name}" for name, job in jobs if not job.state]

    def _keys(self, bucket: str) -> list[str]:
        return [key for report in self.reports for key in self.live.keys(bucket, f"{report}/")]

    def _uploads(self, bucket: str) -> Iterator[str]:
        pages = self.live.s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket)
        for upload in (upload for page in pages for upload in page.get("Uploads", ())):
            if upload["Key"].split("/")[0] in self.reports:
                yield upload["Key"]

    def _queues(self) -> list[str]:
        found = broker_api.call(self.ground.stack.layout, "GET", "/queues/reports")
        return [queue["name"] for queue in found if queue["name"].startswith("reports.reply.")]


def _channel(alert: AlertByEmail | AlertBySlack) -> str:
    return "email" if isinstance(alert, AlertByEmail) else "slack"


def _lines(body: str) -> str:
    """Return a text with line ends as they are written; those of mails are others."""
    return body.replace("\r\n", "\n")


def _named(key: str) -> str:
    """Return a key with its run's id in front, by which its plan is found."""
    return " ".join([*(decode_task_key(part) for part in key.split("/")[1:3]), key])
