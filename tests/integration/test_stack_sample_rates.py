"""The rates service: one job per key, kept over a restart, told of until somebody listens."""

import csv
import io
import json
import socket
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn

from embedded_stack.conditions import wait_for
from reporting.core.fetch.client import Client
from reporting.core.fetch.endpoint import Endpoint
from reporting.core.fetch.limits import limits_from_now
from reporting.core.service.job import cancel, look, submit
from reporting.definition.jobs import Job as HowAsked
from sample_services.rates import create_app
from sample_services.rates_data import ReferenceRates, data_file
from sample_services.rates_jobs import Job, JobFolder, id_of
from tests.integration.scripted_service import Reply, Request, serving

pytestmark = pytest.mark.integration

LONG, SHORT = 600.0, 0.05
JANUARY = {"rates": "in_month", "month": "2013-01"}


@pytest.fixture(scope="module")
def rates() -> ReferenceRates:
    return ReferenceRates.read(data_file())


@contextmanager
def running(rates: ReferenceRates, folder: Path, takes: float) -> Iterator[httpx.Client]:
    """One life of the service; its jobs lie in `folder`."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        app = create_app(rates, JobFolder(folder), takes)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            wait_for(lambda: server.started or None, seconds=20, otherwise=lambda: "not started")
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            with httpx.Client(base_url=url, trust_env=False, timeout=10) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def waiting(
    rates: ReferenceRates, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[httpx.Client, Path]]:
    """A service whose jobs take long, and where it keeps them."""
    folder = tmp_path_factory.mktemp("jobs")
    with running(rates, folder, LONG) as service:
        yield service, folder


@contextmanager
def as_a_report_asks(service: httpx.Client) -> Iterator[Client]:
    limits = limits_from_now(2, 2, timedelta(seconds=20), 10**7)
    with Client("Source 'rates'", Endpoint(str(service.base_url)), limits) as client:
        yield client


def eventually(look: Callable[[], Any], what: str) -> Any:
    return wait_for(lambda: look() or None, seconds=20, otherwise=lambda: what)


def order(service: httpx.Client, key: str = "k", **body: Any) -> httpx.Response:
    return service.post("/jobs", json={**JANUARY, **body}, headers={"Idempotency-Key": key})


def rows_of(service: httpx.Client, **body: Any) -> list[dict[str, str]]:
    """Order rates, wait for them and take them."""
    job = order(service, key=json.dumps(body), **body).json()["id"]
    eventually(lambda: service.get(f"/jobs/{job}").json()["status"] == "done", "not done")
    return [json.loads(line) for line in service.get(f"/jobs/{job}/result").text.splitlines()]


def in_the_file(month: str) -> list[dict[str, str]]:
    """The rates of a month, read from the data set by other means."""
    with zipfile.ZipFile(data_file()) as archive:
        text = archive.read("eurofxref-hist.csv").decode()
    return [
        {"date": row["Date"], "currency": currency, "rate": rate}
        for row in csv.DictReader(io.StringIO(text))
        if row["Date"].startswith(month)
        for currency, rate in row.items()
        if currency not in ("Date", "") and rate != "N/A"
    ]


def by_key(row: dict[str, str]) -> tuple[str, str]:
    return row["date"], row["currency"]


def test_a_report_orders_waits_and_cancels_by_its_usual_ways(
    rates: ReferenceRates, tmp_path: Path
) -> None:
    with running(rates, tmp_path, LONG) as service, as_a_report_asks(service) as client:
        job = submit(client, "/jobs", JANUARY, "key", "id")
        assert submit(client, "/jobs", JANUARY, "key", "id") == job
        assert submit(client, "/jobs", JANUARY, "other key", "id") != job

        seen = look(client, HowAsked(), job)
        assert (seen.is_done, seen.is_failed) == (False, False)
        cancel(client, f"/jobs/{job}")
        cancel(client, f"/jobs/{job}")
        assert look(client, HowAsked(), job).is_failed
        assert service.get(f"/jobs/{job}/result").status_code == 410


def test_the_rates_are_those_of_the_file_with_all_their_digits(
    rates: ReferenceRates, tmp_path: Path
) -> None:
    with running(rates, tmp_path, SHORT) as service:
        rows = rows_of(service, month="2013-01")

    assert sorted(rows, key=by_key) == sorted(in_the_file("2013-01"), key=by_key)
    assert len(rows) == 22 * 33
    assert {"date": "2013-01-02", "currency": "USD", "rate": "1.3262"} in rows


def test_the_last_rates_are_of_the_month_before_and_of_each_currencys_own_last_day(
    rates: ReferenceRates, tmp_path: Path
) -> None:
    """The rouble was fixed for the last time on the first day of March 2022."""
    with running(rates, tmp_path, SHORT) as service:
        april = rows_of(service, rates="last_before_month", month="2022-04")
        may = rows_of(service, rates="last_before_month", month="2022-05")
        assert rows_of(service, rates="last_before_month", month="1999-01") == []

    last = {row["currency"]: row for row in sorted(in_the_file("2022-03"), key=by_key)}
    assert {row["currency"]: row for row in april} == last
    assert last["RUB"]["date"] == "2022-03-01"
    assert "RUB" not in {row["currency"] for row in may}


def test_a_callback_is_repeated_until_it_is_taken_and_then_no_more(
    rates: ReferenceRates, tmp_path: Path
) -> None:
    answers = [Reply(is_cut=True), Reply(status=503), Reply(b"{}")]
    with (
        serving(lambda _: answers.pop(0)) as listener,
        running(rates, tmp_path, SHORT) as service,
    ):
        job = order(service, callback_url=f"{listener.url}/done/token").json()["id"]
        eventually(lambda: not answers and not list(JobFolder(tmp_path).untold()), "not told")

    assert [call.path for call in listener.requests] == ["/done/token"] * 3
    said = [json.loads(call.body) for call in listener.requests]
    assert said == [{"id": job, "status": "done"}] * 3


def test_a_restart_loses_no_job_and_no_callback(rates: ReferenceRates, tmp_path: Path) -> None:
    calls: list[Request] = []

    def answer(request: Request) -> Reply:
        calls.append(request)
        return Reply(b"{}")

    with serving(answer) as listener:
        url = f"{listener.url}/done"
        with running(rates, tmp_path, takes=2) as service:
            job = order(service, callback_url=url).json()["id"]
        assert calls == []
        with running(rates, tmp_path, takes=2) as service:
            assert order(service, callback_url=url).json()["id"] == job
            eventually(lambda: calls, "nobody called")
            assert service.get(f"/jobs/{job}").json()["progress"] == 100
            eventually(lambda: not list(JobFolder(tmp_path).untold()), "not noted")
        with running(rates, tmp_path, takes=2) as service:
            assert len(service.get(f"/jobs/{job}/result").text.splitlines()) == 22 * 33

    assert len(calls) == 1


def test_jobs_are_forgotten_once_nobody_can_wait_for_them(
    rates: ReferenceRates, tmp_path: Path
) -> None:
    jobs, now = JobFolder(tmp_path), time.time()
    old = jobs.take(Job(id_of("old"), "in_month", "2013-01", now - 9 * 86_400, SHORT))
    young = jobs.take(Job(id_of("young"), "in_month", "2013-01", now - 7 * 86_400, SHORT))

    with running(rates, tmp_path, SHORT) as service:
        found = [service.get(f"/jobs/{job.id}").status_code for job in (old, young)]

    assert found == [404, 200]


def test_nobody_is_called_for_a_cancelled_job(rates: ReferenceRates, tmp_path: Path) -> None:
    with (
        serving(lambda _: Reply(b"{}")) as listener,
        running(rates, tmp_path, takes=0.5) as service,
    ):
        url = f"{listener.url}/done"
        cancelled = order(service, "a", callback_url=url).json()["id"]
        assert service.delete(f"/jobs/{cancelled}").status_code == 204
        wanted = order(service, "b", callback_url=url).json()["id"]
        eventually(lambda: not list(JobFolder(tmp_path).untold()), "not told")

    assert [json.loads(call.body)["id"] for call in listener.requests] == [wanted]


def test_progress_grows_and_a_result_is_there_once_done(
    rates: ReferenceRates, tmp_path: Path
) -> None:
    with running(rates, tmp_path, takes=1) as service:
        job = order(service).json()["id"]
        early = service.get(f"/jobs/{job}/result")
        began = time.monotonic()
        seen = []
        while (status := service.get(f"/jobs/{job}").json())["status"] != "done":
            seen.append(status["progress"])
            assert time.monotonic() - began < 20

    assert early.status_code == 409
    assert "is running" in early.text
    assert seen == sorted(seen)
    assert len(set(seen)) > 1


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"month": "2013-1"}, "month"),
        ({"month": "2013-13"}, "month"),
        ({"month": None}, "month"),
        ({"rates": "all"}, "in_month"),
        ({"callback_url": "ftp://host/x"}, "callback_url"),
        ({"currency": "USD"}, "currency"),
    ],
)
def test_bad_input_is_refused_by_name_and_makes_no_job(
    waiting: tuple[httpx.Client, Path], wrong: dict[str, Any], word: str
) -> None:
    service, folder = waiting

    answer = order(service, **wrong)

    assert answer.status_code == 422
    assert word in answer.text
    assert list(folder.iterdir()) == []


def test_keys_and_ids_that_mean_nothing_are_refused(rates: ReferenceRates, tmp_path: Path) -> None:
    with running(rates, tmp_path, SHORT) as service:
        assert "idempotency-key" in service.post("/jobs", json=JANUARY).text.lower()
        job = order(service, "k").json()["id"]
        reused = order(service, "k", month="2013-02")
        assert reused.status_code == 422
        assert "Idempotency-Key" in reused.text
        eventually(lambda: service.get(f"/jobs/{job}").json()["status"] == "done", "not done")
        assert service.delete(f"/jobs/{job}").status_code == 409
        for unknown in ("0" * 20, "..%2Fsecrets", "x" * 300):
            assert service.get(f"/jobs/{unknown}").status_code == 404
