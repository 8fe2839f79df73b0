"""An installation of a test's own: its runs work, publish and end, and are compared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from reporting.core.arrow import arrow_schema
from reporting.core.files import ReportFiles
from reporting.core.reconcile.difference import Difference, Scope
from reporting.core.reconcile.installation import Installation, Standing
from reporting.core.reconcile.passes import reconcile, repair
from reporting.core.result import Results
from reporting.core.run import Run
from reporting.core.saga import Places
from reporting.core.service.broker import Broker
from reporting.core.staging import Staging
from reporting.core.warehouse.claim import take_claim
from reporting.core.warehouse.publish import publish
from reporting.core.warehouse.release import Edition, Release
from reporting.core.warehouse.reports import remember_report
from reporting.core.warehouse.runs import register_staging
from reporting.definition.report import Report
from reporting.definition.tables import Csv
from tests.specimens import a_report, a_run, a_source, a_table

SOURCE = a_source()
ROWS = [{"id": number, "name": f"row {number}"} for number in range(3)]
LATER = timedelta(0)  # no grace: everything counts as old
DAY = timedelta(days=1)


@dataclass
class World:
    """One report, its runs, and what Airflow would say of them.

    Attributes:
        places: where runs leave things.
        report: what they make.
        known: what Airflow knows of each run.
        broker: the broker of every connection, if there is one.
    """

    places: Places
    report: Report
    known: dict[str, Standing] = field(default_factory=dict)
    broker: Broker | None = None

    @property
    def here(self) -> Installation:
        """The installation as it is compared."""
        broker = self.broker
        opened = None if broker is None else (lambda _: broker)
        return Installation(self.places, lambda run: self.known.get(run.run_id), opened)

    def found(self, **scope: Any) -> list[Difference]:
        """Compare everything; all of it can be looked at."""
        findings = reconcile(self.here, Scope(**({"grace": LATER} | scope)))
        assert list(findings.unseen) == []
        return list(findings.differences)

    def kinds(self, **scope: Any) -> list[str]:
        """Return the kinds of all differences."""
        return [one.kind for one in self.found(**scope)]

    def repaired(self) -> list[Difference]:
        """Repair what differs; return what was repaired."""
        findings = repair(self.here, Scope(grace=LATER), self.found())
        assert list(findings.unseen) == []
        return list(findings.differences)

    # --- what runs do

    def starts(self, run_id: str = "run", clear_number: int = 0) -> Run:
        """Start a run, or a new life of it, up to its first step."""
        run = a_run(self.report.name, run_id, clear_number=clear_number)
        self.known[run_id] = Standing(run.id, is_under_way=True, ended_at=None)
        remember_report(self.places.warehouse, self.report)
        assert take_claim(self.places.warehouse, run) == run_id
        register_staging(self.places.warehouse, run, DAY)
        return run

    def fetches(self, run: Run, facts: dict[str, Any] | None = None) -> None:
        """Stage the source."""
        staging = Staging(self.places.staging, run.id)
        with staging.attempt("orders", SOURCE.schema) as attempt:
            attempt.writer.write(self._rows(SOURCE.schema))
            attempt.commit({"expected_rows": len(ROWS)} | (facts or {}))

    def computes(self, run: Run) -> None:
        """Stage the computed tables."""
        staging = Staging(self.places.staging, run.id)
        tables = {t.name: self._rows(t.schema) for t in self.report.tables}
        Results(staging, self.report).persist(tables, "fingerprint")

    def stores(self, run: Run) -> Release:
        """Publish what is staged, as the step `store` does."""
        staging = Staging(self.places.staging, run.id)
        manifest = staging.manifest("orders")
        assert manifest is not None
        facts = {"rows": manifest.rows, "attempt": manifest.attempt, **manifest.facts}
        tables = {t.name: self._rows(t.schema) for t in self.report.tables}
        written = ReportFiles(self.places.reports, run.id.report, run.id.task_key).write(
            run, tables, (Csv(),)
        )
        edition = Edition(
            tables, "fingerprint", {"orders": facts}, {}, tuple(written), file_facts=written
        )
        return publish(self.places.warehouse, self.report, run, edition)

    def ends(self, run: Run, *, is_green: bool = False) -> None:
        """Let Airflow say that the run has ended."""
        self.known[run.id.run_id] = Standing(run.id, False, datetime.now(UTC), is_green)

    def vanishes(self, run: Run) -> None:
        """Delete the run from Airflow."""
        del self.known[run.id.run_id]

    def publishes(self, run_id: str = "run") -> tuple[Run, Release]:
        """Do all that a good run does."""
        run = self.starts(run_id)
        self.fetches(run)
        self.computes(run)
        release = self.stores(run)
        self.ends(run, is_green=True)
        return run, release

    def _rows(self, schema: Any) -> pa.Table:
        return pa.Table.from_pylist(ROWS, arrow_schema(schema))


def a_world(places: Places, name: str) -> World:
    """Return an installation in which nothing has run."""
    return World(places, replace(a_report(tables=[a_table(), a_table("details")]), name=name))
