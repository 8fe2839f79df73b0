"""Fills the services of docker compose: databases, buckets, virtual host, samples and the login.

Usage: python -m embedded_stack.container_init

It runs before Airflow starts and may run again at any time: what is there already stays. The work
is done by the functions that fill the embedded stack.
"""

import os
import sys
from collections.abc import Mapping

from embedded_stack import airflow_services, broker, databases, sample_data
from embedded_stack.conditions import wait_for
from embedded_stack.credentials import Credentials
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout, default_home
from embedded_stack.ports import Ports
from embedded_stack.private_file import make_private_folder
from embedded_stack.progress import Progress, print_now

SECRETS = (
    "postgres_superuser", "postgres_airflow", "postgres_reporting", "postgres_operations_owner",
    "postgres_operations_reader", "s3_access_key", "s3_secret_key", "broker_password",
    "airflow_admin_password",
)  # fmt: skip
READY_SECONDS = 60.0


def layout_of(environ: Mapping[str, str]) -> Layout:
    """The places and secrets the compose file hands to the container.

    Raises:
        StackError: names the variable that is missing.
    """
    try:
        return Layout(
            home=default_home(environ),
            ports=Ports.from_environment(environ),
            credentials=Credentials(
                **{name: environ[f"SECRET_{name.upper()}"] for name in SECRETS}
            ),
            postgres_host=environ["REPORTS_HOST_POSTGRES"],
            store_host=environ["REPORTS_HOST_STORE"],
            broker_host=environ["REPORTS_HOST_BROKER"],
        )
    except KeyError as error:
        raise StackError(f"{error.args[0]}: not set; docker-compose.yaml sets it") from None


def fill(layout: Layout, progress: Progress) -> None:
    """Make what is missing in the database server, in the store and in the broker.

    Raises:
        StackError: when the store does not keep what it is given, or the broker lets nobody in.
    """
    databases.create(layout)
    progress.step("roles and databases are there")
    progress.step(f"flights: {sample_data.load_flights(layout):,} rows loaded")
    kept = sample_data.airlines_kept(layout)
    wait_for(
        lambda: kept() or None,
        seconds=READY_SECONDS,
        otherwise=lambda: f"the store at {layout.store_host} keeps no data; see its log",
    )
    progress.step("buckets and airlines are there")
    wait_for(
        lambda: broker.answers(layout) or None,
        seconds=READY_SECONDS,
        otherwise=lambda: f"the broker at {layout.broker_host} lets nobody in; see its log",
    )
    progress.step("the broker's virtual host is there")
    make_private_folder(layout.airflow)
    airflow_services.prepare(layout)
    progress.step("the login is written")


def main() -> int:
    """Fill the services and return the exit code."""
    try:
        fill(layout_of(os.environ), Progress(print_now))
    except StackError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
