"""What the sources of the harness's own reports hold, and the figures that follow from it."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

from reporting.definition.drops import S3Source
from reporting.definition.jobs import HttpJobSource
from reporting.definition.messages import MessageSource
from reporting.definition.report import Report
from reporting.definition.source import Source
from reporting.definition.sources import HttpSource
from tests.faults.reports import ALL_REPORTS, REPORTS
from tests.faults.subject import Case, Figures, Subject, figures

SIZES = (1, 7, 60, 400)
NAMES = ("plain", "Ünïcode ☂", "two\nlines", 'a "quoted", comma', "NULL", "\\N", None)


def rows_of(case: Case, source: str) -> list[dict[str, Any]]:
    """Return the rows that a source holds for a case."""
    random = Random(f"{case.report} {case.period} {source}")  # noqa: S311 - the same each time
    return [
        {
            "id": number,
            "name": random.choice(NAMES),
            "amount": random.choice((None, Decimal(random.randint(-(10**9), 10**9)).scaleb(-2))),
        }
        for number in range(1, case.size + 1)
    ]


def sources_of(report: str) -> list[str]:
    """Return the names of the sources of one of the reports."""
    return [source.name for source in _report(report).sources]


def model(case: Case) -> Figures:
    """Return the figures that a release of the case must have."""
    held = {name: rows_of(case, name) for name in sources_of(case.report)}
    return figures(
        {
            "rows": [{"source": name, **row} for name, rows in held.items() for row in rows],
            "totals": [_total(name, rows) for name, rows in held.items()],
        }
    )


def _total(source: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    amounts = [row["amount"] for row in rows if row["amount"] is not None]
    # Two digits as the column has them, also when there is nothing to add.
    return {"source": source, "rows": len(rows), "amount": sum(amounts, Decimal("0.00"))}


def _way(source: Source) -> str:
    match source:
        case HttpJobSource():
            return "callback" if source.wait == "callback" else "job"
        case MessageSource():
            return "message"
        case S3Source():
            return "drop"
        case HttpSource():
            return "http"
        case _:
            return "postgres"


def _report(name: str) -> Report:
    return next(report for report in ALL_REPORTS if report.name == name)


SUBJECTS = tuple(
    Subject(report.name, {source.task_id: _way(source) for source in report.sources}, sizes=SIZES)
    for report in REPORTS
)
