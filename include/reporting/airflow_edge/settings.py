"""Which connections and buckets the package uses; environment variables override the defaults."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields


@dataclass(frozen=True)
class Settings:
    """Names shared by all reports of an installation.

    Each is overridden by `REPORTING_<NAME>` in the environment, e.g. `REPORTING_STAGING_BUCKET`.

    Attributes:
        warehouse_conn_id: PostgreSQL of claims, releases and published figures.
        store_conn_id: S3 store of staged data and files.
        staging_bucket: bucket of staged data.
        reports_bucket: bucket of published files.
        reference_bucket: bucket in which services leave rows that are too large for a message.
        api_conn_id: Airflow's own REST API, for the janitor and the watcher of events.
        broker_conn_id: RabbitMQ whose dead letters the janitor collects; there need not be one.
        callback_url: where services reach Airflow's API server, for sources that wait for a call.
        callback_secret: signs the addresses they are given; the same for workers and API server.
    """

    warehouse_conn_id: str = "report_warehouse"
    store_conn_id: str = "report_store"
    staging_bucket: str = "staging"
    reports_bucket: str = "reports"
    reference_bucket: str = "landing"
    api_conn_id: str = "airflow_api"
    broker_conn_id: str = "reports_broker"
    callback_url: str = ""
    callback_secret: str = field(default="", repr=False)


def settings() -> Settings:
    """Return the settings in force."""
    named = {f.name: os.environ.get(f"REPORTING_{f.name.upper()}") for f in fields(Settings)}
    return Settings(**{name: value for name, value in named.items() if value})
