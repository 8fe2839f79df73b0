"""The stack without Airflow: real services, closed doors, and life after every kill."""

import os
import signal
import smtplib
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from botocore.exceptions import ClientError

from embedded_stack import sample_data, store
from embedded_stack.conditions import wait_for
from embedded_stack.ports import Ports
from embedded_stack.stack import Stack
from embedded_stack.status import ServiceStatus

pytestmark = pytest.mark.integration
SERVICES = ("postgres", "store", "weather", "mail-sink", "webhook-sink")


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    home = tmp_path_factory.mktemp("stack") / "with space"
    stack = Stack(home, Ports.free())
    try:
        stack.up(SERVICES)
        yield stack
    finally:
        stack.down()


def eventually(look: Callable[[], bool], what: str) -> None:
    wait_for(lambda: look() or None, seconds=30, otherwise=lambda: what)


def status_of(stack: Stack, service: str) -> ServiceStatus:
    return next(status for status in stack.status() if status.name == service)


def processes_of(stack: Stack) -> list[psutil.Process]:
    """Everything that works inside the home of the stack."""
    found = []
    for process in psutil.process_iter():
        try:
            if Path(process.cwd()).is_relative_to(stack.home):
                found.append(process)
        except psutil.Error:
            continue
    return found


def supervisor_pid(stack: Stack) -> int:
    return int((stack.home / "run" / "supervisord.pid").read_text())


def flights(stack: Stack, role: str = "operations_reader") -> int:
    with psycopg.connect(stack.dsn("operations", role)) as connection:
        row = connection.execute("SELECT count(*) FROM operations.flights").fetchone()
    assert row is not None
    return int(row[0])


def test_all_flights_are_loaded_with_whole_numbers_and_real_nulls(stack: Stack) -> None:
    query = """SELECT count(*), count(dep_time), count(arr_time), count(arr_delay), count(tailnum),
                      sum(distance), min(time_hour), max(time_hour) FROM flights"""
    with psycopg.connect(stack.dsn("operations", "operations_reader")) as connection:
        row = connection.execute(query).fetchone()

    assert row is not None
    assert row[:6] == (336_776, 328_521, 328_063, 327_346, 334_264, 350_217_607)
    assert [moment.isoformat() for moment in row[6:]] == [
        "2013-01-01T10:00:00+00:00",
        "2014-01-01T04:00:00+00:00",
    ]


def test_the_reader_cannot_write(stack: Stack) -> None:
    with (
        psycopg.connect(stack.dsn("operations", "operations_reader")) as connection,
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
    ):
        connection.execute("DELETE FROM flights")
    with psycopg.connect(stack.dsn("operations", "operations_reader")) as connection:
        connection.execute("SET default_transaction_read_only = off")
        connection.commit()
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM flights")


@pytest.mark.parametrize(
    ("database", "role"),
    [
        ("airflow", "reporting"),
        ("warehouse", "airflow"),
        ("warehouse", "operations_reader"),
        ("operations", "reporting"),
    ],
)
def test_a_role_reaches_its_own_database_only(stack: Stack, database: str, role: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(stack.dsn(database, role))


def test_the_owner_of_the_warehouse_may_make_tables(stack: Stack) -> None:
    with psycopg.connect(stack.dsn("warehouse", "reporting")) as connection:
        connection.execute("CREATE TABLE trial (id int)")
        connection.rollback()


def test_buckets_and_the_reference_file_are_there(stack: Stack) -> None:
    s3 = store.client(stack.layout)
    body = s3.get_object(Bucket="landing", Key=sample_data.AIRLINES_KEY)["Body"].read()

    assert {entry["Name"] for entry in s3.list_buckets()["Buckets"]} == set(store.BUCKETS)
    assert body.startswith(b"carrier,name\n9E,Endeavor Air Inc.\n")


def test_a_mistyped_bucket_is_an_error(stack: Stack) -> None:
    with pytest.raises(ClientError, match="NoSuchBucket"):
        store.client(stack.layout).put_object(Bucket="stagingg", Key="k", Body=b"")


@pytest.mark.parametrize(
    ("port", "path"),
    [
        ("s3", "/landing/reference/airlines.csv"),
        ("store_filer", "/buckets/landing/reference/airlines.csv"),
    ],
)
def test_no_door_of_the_store_opens_without_a_key(stack: Stack, port: str, path: str) -> None:
    url = f"http://127.0.0.1:{getattr(stack.ports, port)}{path}"

    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(url, timeout=5)

    assert caught.value.code in {401, 403}


def test_a_mail_is_kept_as_a_file(stack: Stack) -> None:
    with smtplib.SMTP("127.0.0.1", stack.ports.mail) as client:
        client.sendmail("a@example.com", ["b@example.com"], "Subject: for the file\n\nbody")

    kept = [path.read_text() for path in (stack.home / "mail").glob("*.eml")]
    assert any("X-Envelope-To: b@example.com" in mail and "for the file" in mail for mail in kept)


def test_a_webhook_is_kept_and_what_is_not_json_is_refused(stack: Stack) -> None:
    url = f"http://127.0.0.1:{stack.ports.webhook}/T/B/token"
    with urllib.request.urlopen(url, data=b'{"text": "kept"}', timeout=5) as answer:
        assert answer.read() == b"ok"
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(url, data=b"not json", timeout=5)

    kept = [path.read_text() for path in (stack.home / "slack").glob("*.json")]
    assert kept == ['{"text": "kept"}']


def test_every_listener_is_on_loopback(stack: Stack) -> None:
    listeners = {
        connection.laddr.ip
        for process in processes_of(stack)
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }

    assert listeners == {"127.0.0.1"}


def test_nobody_else_may_look_into_the_home(stack: Stack) -> None:
    assert stack.home.stat().st_mode & 0o777 == 0o700


def test_up_again_changes_nothing(stack: Stack) -> None:
    before = [status_of(stack, service).pid for service in SERVICES]

    stack.up(SERVICES)

    assert [status_of(stack, service).pid for service in SERVICES] == before


@pytest.mark.parametrize("service", ["postgres", "store", "weather"])
def test_a_killed_service_comes_back(stack: Stack, service: str) -> None:
    killed = status_of(stack, service).pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)

    eventually(lambda: status_of(stack, service).pid not in (None, killed), f"{service} is away")
    stack.up(SERVICES)
    assert flights(stack) == 336_776


def test_a_killed_supervisor_leaves_no_doubles(stack: Stack) -> None:
    before = {process.pid for process in processes_of(stack)}
    os.kill(supervisor_pid(stack), signal.SIGKILL)

    stack.up(SERVICES)

    assert not before & {process.pid for process in processes_of(stack)}
    assert flights(stack) == 336_776


def test_down_after_a_crash_ends_everything_of_this_stack_and_nothing_else(stack: Stack) -> None:
    bystander = psutil.Popen(["sleep", "60"], cwd=stack.home)
    try:
        os.kill(supervisor_pid(stack), signal.SIGKILL)
        began = time.monotonic()
        stack.down()

        assert time.monotonic() - began < 30
        # On a busy machine a killed process may be seen a little longer.
        wait_for(
            lambda: [process.pid for process in processes_of(stack)] == [bystander.pid] or None,
            seconds=10,
            otherwise=lambda: f"left: {[process.name() for process in processes_of(stack)]}",
        )
        assert bystander.is_running()
    finally:
        bystander.kill()
        bystander.wait()
    stack.up(SERVICES)
    assert flights(stack) == 336_776
