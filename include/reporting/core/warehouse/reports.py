"""What the janitor must know of a report without reading its file: whom to alert."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reporting.definition.delivery import Alert, alert_from_json, alert_to_json

if TYPE_CHECKING:
    import psycopg

    from reporting.definition.report import Report


def remember_report(connection: psycopg.Connection[Any], report: Report) -> None:
    """Keep the report's alerts as they are now."""
    alerts = json.dumps([alert_to_json(alert) for alert in report.alerts])
    connection.execute(
        "INSERT INTO reporting.report AS known (report, alerts) VALUES (%s, %s) "
        "ON CONFLICT (report) DO UPDATE SET alerts = excluded.alerts "
        "WHERE known.alerts <> excluded.alerts",
        (report.name, alerts),
    )


def alerts_of(connection: psycopg.Connection[Any], report: str) -> Sequence[Alert] | None:
    """Return the report's alerts, or None when none of its runs ever got past its start."""
    row = connection.execute(
        "SELECT alerts FROM reporting.report WHERE report = %s", (report,)
    ).fetchone()
    return None if row is None else [alert_from_json(alert) for alert in row[0]]
