"""The page of everything that is set from outside: names, ports and variables."""

from __future__ import annotations

from dataclasses import fields

from docs.generator.docstrings import attributes
from docs.generator.markdown import code, page, table

from embedded_stack.ports import GRPC_OFFSET, WITH_GRPC, Ports, variable
from reporting.airflow_edge.settings import Settings

PORTS = {
    "web": "Airflow: UI and REST API",
    "postgres": "PostgreSQL: Airflow's database, the warehouse and the sample source",
    "s3": "the S3 store",
    "store_master": "the S3 store, inside",
    "store_filer": "the S3 store, inside",
    "store_volume": "the S3 store, inside",
    "store_admin": "the S3 store, inside",
    "broker": "RabbitMQ",
    "broker_admin": "RabbitMQ: its web page and its own REST API",
    "weather": "the sample weather service",
    "rates": "the sample service of exchange rates",
    "webhook": "takes Slack messages and keeps them",
    "mail": "takes mails and keeps them",
    "supervisor": "starts and watches all services",
}
OTHERS = {
    "REPORTS_HOME": "folder of the embedded stack; `var` in the checkout if it is not set",
    "REPORTS_URL": "address of Airflow, for the command `reports`",
    "REPORTS_USER": "login name, for the command `reports`",
    "REPORTS_PASSWORD": "password, for the command `reports`",
    "REPORTS_WORKER_MEMORY": "memory of each worker under docker compose; `2g` if it is not set",
    "REPORTING_JANITOR_MINUTES": "how often `report_janitor` runs; `5` if it is not set",
    "AIRFLOW_CONN_AIRFLOW_API": "connection to Airflow as JSON; `reports` uses it, too",
}
# Set by docker compose for its own start; nobody else has a use for them.
INTERNAL = {
    "REPORTS_LOADED_CODE",
    "REPORTS_HOST_POSTGRES",
    "REPORTS_HOST_STORE",
    "REPORTS_HOST_BROKER",
}


def settings() -> str:
    """Return the page."""
    return page(
        "Settings",
        "This page lists the names, ports and environment variables you can change.",
        "## Connections and buckets",
        "Set these for all Airflow processes.",
        table(["variable", "default", "meaning"], _names()),
        "## Ports of the embedded stack",
        f"All are on 127.0.0.1. Those marked * also take the port {GRPC_OFFSET} higher. `make up` "
        "keeps them in `ports.json` in the folder of the stack; a variable moves them again.",
        table(["variable", "default", "what for"], _ports()),
        "Under docker compose only the first three are open to the machine.",
        "## Other variables",
        table(["variable", "meaning"], [[code(name), text] for name, text in OTHERS.items()]),
    )


def _names() -> list[list[str]]:
    meaning = attributes(Settings)
    return [
        [code(f"REPORTING_{field.name.upper()}"), code(field.default), meaning[field.name]]
        for field in fields(Settings)
    ]


def _ports() -> list[list[str]]:
    return [
        [
            code(variable(field.name)),
            f"{field.default}{' *' if field.name in WITH_GRPC else ''}",
            PORTS[field.name],
        ]
        for field in fields(Ports)
    ]
