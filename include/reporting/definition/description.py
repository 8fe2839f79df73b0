"""A report's definition as plain data, for who has its DAG but not its file.

It names connections, queues and recipients; what could hide a secret stays out: queries, bodies
of requests, and query parameters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from reporting.definition.daily import Daily
from reporting.definition.delivery import Alert, alert_to_json
from reporting.definition.monthly import Monthly
from reporting.definition.query import is_file
from reporting.definition.schedule_text import rhythm_words, start_words
from reporting.definition.starts import OnSchedule, Start, UpstreamEvent

if TYPE_CHECKING:
    from reporting.definition.delivery import Email
    from reporting.definition.params import Param
    from reporting.definition.report import Report
    from reporting.definition.run_retry import RunRetry
    from reporting.definition.schedule import Schedule
    from reporting.definition.source import Source
    from reporting.definition.tables import Table

FORMAT = 1
# What a source asks for, by the names of the fields that may say so, in this order.
ASKS = ("path", "queue", "key", "prefix")


def description_of(report: Report) -> dict[str, Any]:
    """Return the definition as JSON values; durations are in seconds."""
    return {
        "format": FORMAT,
        "name": report.name,
        "title": report.title,
        "owner": report.owner,
        "schedule": _schedule(report.schedule),
        "starts": start_words(report.schedule, report.starts_on),
        "starts_on": [_start(start) for start in report.starts_on],
        "params": {name: _param(param) for name, param in report.run_params.items()},
        "sources": [_source(source) for source in report.sources],
        "tables": [_table(report.name, table) for table in report.tables],
        "exports": [export.suffix for export in report.exports],
        "deliver": [_email(email) for email in report.deliver],
        "alerts": [_alert(alert) for alert in report.alerts],
        "notices": [notice.conn_id for notice in report.notices],
        "tries": report.retry.times + 1,
        "retry_run": _retry_run(report.retry_run),
        "run_limit": _seconds(report.run_limit),
        "step_limit": _seconds(report.step_limit),
        "keep_staging": _seconds(report.keep_staging),
    }


def _schedule(schedule: Schedule) -> dict[str, Any]:
    return {
        "words": rhythm_words(schedule),
        "at": schedule.at,
        "day": schedule.day if isinstance(schedule, Monthly) else None,
        "timezone": schedule.timezone,
        "unit": schedule.unit,
        "form": schedule.form,
        "start": schedule.key_of_day(schedule.start),
        "end": schedule.key_of_day(schedule.end) if schedule.end else None,
        "catchup": schedule.catchup,
    }


def schedule_in(description: Mapping[str, Any]) -> Schedule:
    """Return a schedule that names and bounds periods like the one that was described."""
    found = description["schedule"]
    if found["unit"] == Daily.unit:
        return Daily(found["at"], found["timezone"])
    # An earlier version did not tell the day.
    return Monthly(found["at"], found["timezone"], day=found.get("day") or 1)


def _start(start: Start) -> dict[str, Any]:
    match start:
        case OnSchedule():
            return {"kind": "schedule"}
        case UpstreamEvent():
            return {"kind": "event", "name": start.name, "queue": start.queue or None}


def _param(param: Param) -> dict[str, Any]:
    is_secret = param.schema.get("format") == "password"
    return {"default": None if is_secret else param.default, "schema": dict(param.schema)}


def _source(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "kind": type(source).__name__,
        "conn_id": source.conn_id,
        "asks": _asks(source),
        "required": source.required,
        "columns": dict(source.columns),
        "min_rows": source.min_rows,
        "fresh": _fresh(source),
        "quarantine": source.quarantine,
        "pool": source.pool,
        "time_limit": _seconds(source.time_limit),
        "stalled_after": _seconds(source.stalled_after),
    }


def _asks(source: Source) -> str | None:
    """Return the file, path, queue or key that is asked for; None for a query in the report."""
    sql = getattr(source, "sql", "")
    if sql:
        return sql if is_file(sql) else None
    found = (getattr(source, name, None) for name in ASKS)
    return next((str(text) for text in found if text), None)


def _fresh(source: Source) -> dict[str, Any] | None:
    fresh = source.fresh
    return None if fresh is None else {"column": fresh.column, "within": _seconds(fresh.within)}


def _table(report: str, table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "relation": f"results.{report}__{table.name}",
        "key": list(table.key),
        "columns": dict(table.columns),
    }


def _email(email: Email) -> dict[str, Any]:
    return {"channel": "email", "to": list(email.to), "conn_id": email.conn_id}


def _alert(alert: Alert) -> Mapping[str, Any]:
    found = alert_to_json(alert)
    return {name: list(value) if _is_list(value) else value for name, value in found.items()}


def _retry_run(retry: RunRetry | None) -> dict[str, Any] | None:
    if retry is None:
        return None
    return {"times": retry.times, "after": _seconds(retry.after), "on": retry.on.__name__}


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _seconds(span: timedelta) -> float:
    return span.total_seconds()
