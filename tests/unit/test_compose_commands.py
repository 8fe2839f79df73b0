"""What containers are told to run exists, takes these arguments and listens where others look."""

import asyncio
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from embedded_stack import airflow_settings, container_health, container_init, sample
from embedded_stack.container_init import SECRETS, layout_of
from embedded_stack.errors import StackError
from embedded_stack.ports import Ports
from sample_services import mail_sink, rates, weather, webhook_sink
from sample_services.inbox import Inbox
from sample_services.observations import Observations
from sample_services.rates_data import ReferenceRates
from tests.compose_project import airflow_environment, filled_variables, services, words

pytestmark = pytest.mark.unit

EVERYWHERE = "0.0.0.0"  # noqa: S104 - inside a container of its own
INIT = {name: str(value) for name, value in services()["init"]["environment"].items()}
HEALTH_PAGES = [
    (name, service["healthcheck"]["test"][-2:])
    for name, service in services().items()
    if "embedded_stack.container_health" in words(service)
]


@pytest.mark.parametrize("name", sorted(services()))
def test_modules_exist(name: str) -> None:
    for module in re.findall(r"python -m ([\w.]+)", " ".join(words(services()[name]))):
        assert find_spec(module), module


def arguments(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the module's `main` see what the container gives it."""
    monkeypatch.setattr(sys, "argv", services()[name]["command"][2:])


def test_weather_listens_on_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}
    arguments("weather", monkeypatch)
    monkeypatch.setattr(Observations, "read", lambda _: None)
    monkeypatch.setattr(uvicorn, "run", lambda _, **options: seen.update(options))

    weather.main()

    assert (seen["host"], seen["port"]) == (EVERYWHERE, Ports().weather)


def test_rates_listen_on_their_port_and_keep_jobs_in_their_volume(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: dict[str, Any] = {}
    arguments("rates", monkeypatch)
    monkeypatch.setattr(ReferenceRates, "read", lambda _: None)
    monkeypatch.setattr(rates, "JobFolder", lambda folder: seen.update(folder=folder))
    monkeypatch.setattr(uvicorn, "run", lambda _, **options: seen.update(options))

    rates.main()

    assert (seen["host"], seen["port"]) == (EVERYWHERE, Ports().rates)
    assert seen["folder"] == Path("/var/lib/reports/rates")


def test_the_mail_sink_listens_on_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    arguments("mail-sink", monkeypatch)
    monkeypatch.setattr(mail_sink, "serve", lambda *given: seen.extend(given))
    monkeypatch.setattr(asyncio, "run", lambda _: None)

    mail_sink.main()

    assert seen == [Ports().mail, Path("/var/lib/reports/mail"), EVERYWHERE]


def test_the_webhook_sink_listens_on_its_port(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    class Recorder:
        def __init__(self, port: int, inbox: Inbox, host: str) -> None:
            seen.extend([port, inbox.folder, host])

        def serve_forever(self) -> None:
            return

    arguments("webhook-sink", monkeypatch)
    monkeypatch.setattr(webhook_sink, "WebhookServer", Recorder)

    webhook_sink.main()

    assert seen == [Ports().webhook, Path("/var/lib/reports/slack"), EVERYWHERE]


@pytest.mark.parametrize(("name", "asked"), HEALTH_PAGES)
def test_health_is_asked_where_it_is_told(name: str, asked: list[str]) -> None:
    ports = Ports()
    own = {"weather": ports.weather, "rates": ports.rates, "webhook-sink": ports.webhook}
    host, port = ("127.0.0.1", own.get(name))
    if name.startswith("airflow-"):
        host = "127.0.0.1" if name == "airflow-api-server" else "airflow-api-server"
        port = int(airflow_environment()["AIRFLOW__API__PORT"])

    assert asked[0].startswith(f"http://{host}:{port}/")


@pytest.mark.parametrize(
    ("page", "healthy"),
    [
        ({"scheduler": {"status": "healthy"}}, True),
        ({"scheduler": {"status": "unhealthy"}}, False),
        ({"scheduler": {"status": None}}, False),
        ({"triggerer": {"status": "healthy"}}, False),
        (None, False),
    ],
)
def test_health_is_what_the_page_says(
    page: dict[str, dict[str, str | None]] | None, *, healthy: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "get_json", lambda _: page)
    monkeypatch.setattr(sys, "argv", ["health", "http://host/page", "scheduler"])

    assert container_health.main() == (0 if healthy else 1)


def test_init_gets_every_secret_and_place_it_needs() -> None:
    layout = layout_of(INIT)

    for name in SECRETS:
        assert getattr(layout.credentials, name) == filled_variables()[f"SECRET_{name.upper()}"]
    assert (layout.postgres_host, layout.ports.postgres) == ("postgres", 5432)
    assert (layout.store_host, layout.ports.s3) == ("store", Ports().s3)
    assert (layout.broker_host, layout.ports.broker) == ("broker", 5672)
    assert layout.ports.broker_admin == 15672  # the image's own


def test_init_names_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(StackError, match="SECRET_S3_SECRET_KEY"):
        layout_of({name: value for name, value in INIT.items() if name != "SECRET_S3_SECRET_KEY"})

    assert container_init.main() == 1
    assert "not set" in capsys.readouterr().err


def test_init_writes_the_login_where_airflow_reads_it() -> None:
    layout = layout_of(INIT | {"REPORTS_HOME": "/var/lib/reports"})
    setting = "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"
    place = f"airflow-login:{layout.airflow}"

    assert airflow_environment()[setting] == str(airflow_settings.password_file(layout))
    assert place in services()["init"]["volumes"]
    assert place in services()["airflow-api-server"]["volumes"]
