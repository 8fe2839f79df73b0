"""A report's definition as its DAG carries it, for samples of the report center."""

from __future__ import annotations

from typing import Any

ZONE = "America/New_York"
COLUMNS = {"carrier": "string", "flight_date": "date", "delay": "int32", "miles": "decimal(9,2)"}
DEFINITION: dict[str, Any] = {
    "format": 1,
    "name": "airline_on_time",
    "title": "Airline on-time performance",
    "owner": "operations",
    "schedule": {
        "words": "daily at 06:00 America/New_York",
        "at": "06:00",
        "timezone": ZONE,
        "unit": "day",
        "form": "2026-01-31",
        "start": "2013-01-01",
        "end": None,
        "catchup": False,
    },
    "starts_on": [{"kind": "schedule"}, {"kind": "event", "name": "flights_loaded"}],
    "params": {
        "period": {"default": None, "schema": {"type": ["null", "string"], "format": "date"}},
        "carrier": {
            "default": None,
            "schema": {"type": ["null", "string"], "pattern": "^[A-Z0-9]{2}$"},
        },
    },
    "sources": [
        {
            "name": name,
            "kind": kind,
            "conn_id": conn,
            "asks": asks,
            "required": name != "weather",
            "columns": COLUMNS,
            "min_rows": 1,
            "fresh": {"column": "flight_date", "within": 86400.0},
            "quarantine": 10,
            "pool": "default_pool",
            "time_limit": 1800.0,
            "stalled_after": 300.0,
        }
        for name, kind, conn, asks in (
            ("flights", "PostgresSource", "operations_db", "flights.sql"),
            ("weather", "HttpSource", "weather_api", "/observations"),
            ("planes", "MessageSource", "reports_broker", "planes.lookup"),
            ("airlines", "S3Source", "landing", "reference/airlines.csv"),
        )
    ],
    "tables": [
        {
            "name": "carrier_day",
            "relation": "results.airline_on_time__carrier_day",
            "key": ["carrier"],
            "columns": COLUMNS,
        }
    ],
    "exports": [".xlsx", ".csv"],
    "deliver": [{"channel": "email", "to": ["operations@example.com"], "conn_id": "smtp"}],
    "alerts": [{"channel": "slack", "conn_id": "slack_alerts"}],
    "notices": ["slack_news"],
    "tries": 4,
    "retry_run": {"times": 2, "after": 1800.0, "on": "TransientError"},
    "run_limit": 10800.0,
    "step_limit": 1800.0,
    "keep_staging": 86400.0,
}
