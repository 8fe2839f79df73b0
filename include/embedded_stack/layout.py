"""Where everything of one stack lies: inside its home folder and nowhere else."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from embedded_stack.credentials import Credentials
from embedded_stack.ports import LOOPBACK, Ports
from embedded_stack.private_file import make_private_folder

CHECKOUT = Path(__file__).resolve().parents[2]


def default_home(environ: Mapping[str, str] = os.environ) -> Path:
    """`REPORTS_HOME`, or the folder `var` of the checkout."""
    return Path(environ.get("REPORTS_HOME") or CHECKOUT / "var").absolute()


@dataclass(frozen=True)
class Layout:
    """The folders, ports and secrets every part of the stack agrees on."""

    home: Path
    ports: Ports
    credentials: Credentials
    dags_folder: Path = CHECKOUT / "dags"
    settings: Mapping[str, str] = field(default_factory=dict)
    # Under docker compose each has a name of its own.
    postgres_host: str = LOOPBACK
    store_host: str = LOOPBACK
    broker_host: str = LOOPBACK

    @property
    def run(self) -> Path:
        """Control files of the running stack."""
        return self.home / "run"

    @property
    def log(self) -> Path:
        """One log file per service."""
        return self.home / "log"

    @property
    def postgres(self) -> Path:
        """PostgreSQL's folder; the database itself is in `data`."""
        return self.home / "postgres"

    @property
    def store(self) -> Path:
        """The S3 store's folder."""
        return self.home / "store"

    @property
    def broker(self) -> Path:
        """The broker's folder; it works in it and writes nowhere else."""
        return self.home / "broker"

    @property
    def airflow(self) -> Path:
        """AIRFLOW_HOME."""
        return self.home / "airflow"

    @property
    def mail(self) -> Path:
        """Mails that were sent, as `.eml` files."""
        return self.home / "mail"

    @property
    def slack(self) -> Path:
        """Webhook messages that were sent, as `.json` files."""
        return self.home / "slack"

    @property
    def rates(self) -> Path:
        """The jobs of the sample service of exchange rates."""
        return self.home / "rates"

    def make_folders(self) -> None:
        """Make what is missing, closed to everybody else."""
        for folder in (
            self.run, self.log, self.postgres, self.store, self.broker, self.airflow, self.mail,
            self.slack, self.rates,
        ):  # fmt: skip
            make_private_folder(folder)
