"""The connections reports use, as Airflow reads them from the environment."""

import json
from collections.abc import Mapping

from embedded_stack import broker_api, databases, postgres, rabbitmq, store
from embedded_stack.layout import Layout
from embedded_stack.ports import LOOPBACK

ADMIN = "admin"
SENDER = "reports@example.com"
# The shape of a Slack webhook's path; the sink takes any.
WEBHOOK_TOKEN = "T00000000/B00000000/sample"  # noqa: S105


def environment(layout: Layout) -> dict[str, str]:
    """One `AIRFLOW_CONN_<ID>` per connection, as JSON."""
    return {
        f"AIRFLOW_CONN_{name.upper()}": json.dumps(connection)
        for name, connection in _connections(layout).items()
    }


def _connections(layout: Layout) -> dict[str, Mapping[str, object]]:
    ports = layout.ports
    return {
        "report_warehouse": _database(layout, databases.WAREHOUSE, databases.WAREHOUSE.owner),
        "operations_db": _database(layout, databases.OPERATIONS, "operations_reader"),
        "report_store": _store(layout),
        "landing": _store(layout),
        **_broker(layout),
        "weather_api": _http(ports.weather),
        "rates_api": _http(ports.rates),
        "airflow_api": {
            **_http(ports.web),
            "login": ADMIN,
            "password": layout.credentials.airflow_admin_password,
        },
        "smtp_default": {
            "conn_type": "smtp",
            "host": LOOPBACK,
            "port": ports.mail,
            "extra": {"from_email": SENDER, "disable_tls": True, "disable_ssl": True},
        },
        "slack_default": {
            "conn_type": "slackwebhook",
            # The hook joins host and password to a URL, and leaves out a port given apart.
            "host": f"http://{LOOPBACK}:{ports.webhook}",
            "password": WEBHOOK_TOKEN,
        },
    }


def _database(layout: Layout, database: databases.Database, role: str) -> dict[str, object]:
    return {
        "conn_type": "postgres",
        "host": LOOPBACK,
        "port": layout.ports.postgres,
        "schema": database.name,
        "login": role,
        "password": postgres.password_of(layout, role),
    }


def _store(layout: Layout) -> dict[str, object]:
    return {
        "conn_type": "aws",
        "login": layout.credentials.s3_access_key,
        "password": layout.credentials.s3_secret_key,
        "extra": {
            "endpoint_url": store.endpoint(layout),
            "region_name": store.REGION,
            "config_kwargs": {"s3": {"addressing_style": "path"}},
        },
    }


def _broker(layout: Layout) -> dict[str, Mapping[str, object]]:
    """Nothing without a broker: variables would hide the connection a person makes in its place."""
    if rabbitmq.find() is None:
        return {}
    return {
        "reports_broker": {
            # Airflow's own name for what it has no form for.
            "conn_type": "generic",
            "host": LOOPBACK,
            "port": layout.ports.broker,
            "schema": broker_api.VHOST,
            "login": broker_api.USER,
            "password": layout.credentials.broker_password,
        }
    }


def _http(port: int) -> dict[str, object]:
    return {"conn_type": "http", "schema": "http", "host": LOOPBACK, "port": port}
