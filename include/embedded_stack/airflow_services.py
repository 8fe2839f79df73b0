"""Airflow's processes: how they are started, migrated and known to be healthy."""

import json
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version

from embedded_stack import airflow_settings, databases, loaded_code, postgres, sample
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.private_file import write_private
from embedded_stack.service import Service, dies_with_supervisor

HEALTHY_SECONDS = 180.0  # a busy machine may need long for the first imports
HEALTH_PAGE = "/api/v2/monitor/health"
API_SERVER = "airflow-api-server"


def services(layout: Layout) -> tuple[Service, ...]:
    """The four processes of an Airflow with LocalExecutor."""
    web = airflow_settings.web_address(layout)
    return (
        _service(layout, "api-server", url=web, ports=("web",)),
        # Logs are read from the shared folder; serving them would open 0.0.0.0.
        _service(layout, "scheduler", "--skip-serve-logs"),
        _service(layout, "dag-processor"),
        _service(layout, "triggerer", "--skip-serve-logs"),
    )


def prepare(layout: Layout) -> None:
    """Write the password file that Airflow's login reads; it keeps what Airflow adds to it."""
    path = airflow_settings.password_file(layout)
    known: dict[str, str] = {}
    with suppress(FileNotFoundError, ValueError):
        known = json.loads(path.read_text())
    wanted = known | airflow_settings.admin_password(layout)
    if known != wanted:
        write_private(path, json.dumps(wanted))


def migrate(layout: Layout) -> bool:
    """Bring the metadata database to the installed version.

    Returns:
        False when it was there already and nothing was run.
    """
    stamp = layout.airflow / "migrated"
    if stamp.exists() and stamp.read_text() == _fingerprint(layout):
        return False
    done = subprocess.run(
        [sys.executable, "-m", "airflow", "db", "migrate"],
        env=airflow_settings.command_environment(layout),
        cwd=layout.airflow,
        capture_output=True,
        text=True,
        check=False,
        umask=0o077,
    )
    log = layout.log / "airflow-migrate.log"
    write_private(log, done.stdout + done.stderr)
    if done.returncode != 0:
        raise StackError(
            f"`airflow db migrate` ended with {done.returncode}; its output: {log}. "
            "Mend what it names, then `make up` again"
        )
    write_private(stamp, _fingerprint(layout))
    return True


def answers(layout: Layout) -> bool:
    """Whether the API server answers."""
    return _health(layout) is not None


def beats(layout: Layout, service: str, since: float) -> bool:
    """Whether a service other than the API server reported a heartbeat in this life of it.

    Args:
        layout: the stack.
        service: its name.
        since: when it was started, in seconds since 1970.
    """
    part = service.removeprefix("airflow-").replace("-", "_")
    health = (_health(layout) or {}).get(part, {})
    last = health.get(f"latest_{part}_heartbeat")
    if health.get("status") != "healthy" or last is None:
        return False
    return datetime.fromisoformat(last) >= datetime.fromtimestamp(since, UTC)


def _health(layout: Layout) -> dict[str, dict[str, str | None]] | None:
    return sample.get_json(airflow_settings.web_address(layout) + HEALTH_PAGE)


def _fingerprint(layout: Layout) -> str:
    """What the metadata database and the installed Airflow are; empty database, no revision."""
    with postgres.connect(layout, databases.AIRFLOW.name) as connection:
        if connection.execute("SELECT to_regclass('alembic_version')").fetchone() == (None,):
            return f"{version('apache-airflow')} none"
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return f"{version('apache-airflow')} {row[0] if row else 'none'}"


def _service(
    layout: Layout, command: str, *arguments: str, url: str = "", ports: tuple[str, ...] = ()
) -> Service:
    return Service(
        name=f"airflow-{command}",
        argv=dies_with_supervisor("TERM", sys.executable, "-m", "airflow", command, *arguments),
        folder=layout.airflow,
        ports=ports,
        url=url,
        # Another digest is another setting, and changed settings restart a service.
        environment={
            **airflow_settings.environment(layout),
            "REPORTS_LOADED_CODE": loaded_code.digest(),
        },
        stop_group=True,
    )
