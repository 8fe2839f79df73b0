"""The test stand: a PostgreSQL and an S3 store that ours and all peers use alike."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks import rows
from embedded_stack import airflow_settings, databases, postgres, store
from embedded_stack.caller import without_foreign
from embedded_stack.layout import CHECKOUT
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack

HOME = CHECKOUT / "var" / "bench" / "stand"
BUCKET = "staging"


@dataclass(frozen=True)
class Stand:
    """The running services.

    Attributes:
        stack: where they are and how to log in.
        folder: for files of the measurements.
    """

    stack: Stack
    folder: Path

    def environment(self) -> dict[str, str]:
        """Everything a measured process needs: Airflow's connections, and boto3's own variables."""
        layout = self.stack.layout
        return airflow_settings.command_environment(layout) | {
            "AWS_ENDPOINT_URL_S3": store.endpoint(layout),
            "AWS_DEFAULT_REGION": store.REGION,
            "AWS_ACCESS_KEY_ID": layout.credentials.s3_access_key,
            "AWS_SECRET_ACCESS_KEY": layout.credentials.s3_secret_key,
        }

    def rows_table(self, count: int) -> str:
        """Return the name of the source table of so many rows, made when it is missing."""
        owner = databases.OPERATIONS.owner
        with postgres.connect(self.stack.layout, databases.OPERATIONS.name, owner) as connection:
            return rows.make_table(connection, count)

    def settle(self) -> None:
        """Let the server write out what earlier work has left, so that nobody pays for another."""
        with postgres.connect(self.stack.layout, "postgres") as connection:
            connection.execute("CHECKPOINT")

    def psql(self, database: databases.Database, command: str) -> float:
        """Return the seconds psql needs for a command, its start included."""
        argv = [str(postgres.binaries() / "psql"), "--set=ON_ERROR_STOP=1", "-qc", command]
        started = time.perf_counter()
        subprocess.run(argv, stdout=subprocess.DEVNULL, check=True, env=self._login(database))
        return time.perf_counter() - started

    def _login(self, database: databases.Database) -> dict[str, str]:
        layout = self.stack.layout
        return without_foreign(os.environ) | {
            "PGHOST": layout.postgres_host,
            "PGPORT": str(layout.ports.postgres),
            "PGDATABASE": database.name,
            "PGUSER": database.owner,
            "PGPASSWORD": postgres.password_of(layout, database.owner),
        }


@contextmanager
def running_stand() -> Iterator[Stand]:
    """Start the services in a home of their own, and remove everything afterwards."""
    stack = Stack(HOME, Ports.free(), write=lambda line: print(f"  {line}", flush=True))
    _remove(stack)  # what a run that was killed has left
    try:
        stack.up(["postgres", "store"])
        folder = HOME / "files"
        folder.mkdir()
        yield Stand(stack, folder)
    finally:
        _remove(stack)


def _remove(stack: Stack) -> None:
    stack.down()
    shutil.rmtree(HOME)
