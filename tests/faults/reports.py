"""The harness's own reports: together they read in every way there is."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from reporting import (
    AlertByEmail,
    AlertBySlack,
    Csv,
    CursorPages,
    Daily,
    HttpJobSource,
    HttpSource,
    Marker,
    MessageSource,
    PostgresSource,
    Report,
    Retry,
    S3Source,
    Shards,
    Table,
)

if TYPE_CHECKING:
    import pandas as pd

    from reporting.core.inputs import Inputs
    from reporting.definition.source import Source

COLUMNS = {"id": "int64 not null", "name": "text", "amount": "decimal(12,2)"}
TOTALS = {"source": "text", "rows": "int64", "amount": "decimal(18,2)"}
QUEUE = "chaos.orders"
ALERT = "chaos@example.com"
SECOND = timedelta(seconds=1)
PATIENT = timedelta(seconds=90)  # of what may be lost on the way, so that it is noticed
ORDERS = """
SELECT id, name, amount FROM chaos_rows
WHERE report = '{report}' AND source = '{source}' AND period = %(period)s
"""


def compute(inputs: Inputs) -> dict[str, pd.DataFrame]:
    """Return all rows, each with its source, and the totals per source."""
    import pandas as pd

    frames = {name: inputs.frame(name) for name in sorted(inputs.manifests)}
    rows = pd.concat([frame.assign(source=name) for name, frame in frames.items()])
    totals = [
        {"source": name, "rows": len(frame), "amount": sum(frame["amount"].dropna(), Decimal(0))}
        for name, frame in frames.items()
    ]
    return {"rows": rows.reset_index(drop=True), "totals": pd.DataFrame(totals)}


def report(name: str, *sources: Source, **more: Any) -> Report:
    """Return a report of some sources that keeps nothing once it has ended."""
    return Report(
        name=name,
        title=f"Chaos {name}",
        schedule=Daily("06:00", "UTC", date(2000, 1, 1), date(2024, 12, 31)),
        sources=sources,
        compute=compute,
        tables=[
            Table("rows", key=["source", "id"], columns={"source": "text", **COLUMNS}),
            Table("totals", key=["source"], columns=TOTALS),
        ],
        alerts=[AlertByEmail(to=[ALERT]), AlertBySlack()],
        retry=Retry(times=2, first_delay=SECOND, max_delay=timedelta(seconds=3)),
        keep_staging=timedelta(0),
        **more,
    )


def postgres(name: str, source: str, **more: Any) -> PostgresSource:
    """Return a source in the database of operations."""
    sql = ORDERS.format(report=name, source=source)
    return PostgresSource(source, conn_id="operations_db", sql=sql, columns=COLUMNS, **more)


def job(name: str, source: str, **more: Any) -> HttpJobSource:
    """Return a source that is prepared on request."""
    return HttpJobSource(
        source,
        conn_id="chaos_api",
        path="/jobs",
        request={"report": name, "period": "{period}", "source": source},
        columns=COLUMNS,
        longest_pause=SECOND,
        time_limit=PATIENT,
        **more,
    )


REPORTS = (
    report(
        "chaos_tables",
        postgres("chaos_tables", "orders"),
        HttpSource(
            "rates",
            conn_id="chaos_api",
            path="/rows/chaos_tables/rates",
            pages=CursorPages("next"),
            query={"period": "{period}"},
            columns=COLUMNS,
        ),
        exports=[Csv()],
    ),
    report(
        "chaos_drop",
        postgres("chaos_drop", "orders", shards=Shards(3, by="id")),
        S3Source(
            "dropped",
            conn_id="landing",
            prefix="chaos_drop/{period}/",
            complete=Marker(),
            wait=PATIENT,
            longest_pause=SECOND,
            columns=COLUMNS,
        ),
    ),
    report(
        "chaos_job",
        job("chaos_job", "orders"),
        MessageSource(
            "told",
            conn_id="reports_broker",
            queue=QUEUE,
            request={"report": "chaos_job", "period": "{period}", "source": "told"},
            columns=COLUMNS,
            stalled_after=timedelta(seconds=20),
            longest_pause=SECOND,
            time_limit=PATIENT,
        ),
    ),
    report("chaos_callback", job("chaos_callback", "orders", wait="callback"), exports=[Csv()]),
)
LIMIT = timedelta(seconds=12)
# For the matrix of endings; no seed draws them.
HURRIED = report(
    "chaos_hurried",
    postgres("chaos_hurried", "orders", time_limit=LIMIT),
    exports=[Csv()],
    step_limit=LIMIT,
)
BRIEF = report(
    "chaos_brief", postgres("chaos_brief", "orders"), exports=[Csv()], run_limit=LIMIT * 2
)
ALL_REPORTS = (*REPORTS, HURRIED, BRIEF)
