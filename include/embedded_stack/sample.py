"""The sample services as supervised processes."""

import json
import smtplib
import sys
import urllib.request
from contextlib import suppress

from embedded_stack.layout import Layout
from embedded_stack.ports import LOOPBACK
from embedded_stack.service import Service, dies_with_supervisor

# A proxy of the shell must not come between loopback and us.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def services(layout: Layout) -> tuple[Service, ...]:
    """Weather, and the sinks for mail and webhooks."""
    ports = layout.ports
    return (
        _service(layout, "weather", ports.weather, "http"),
        _service(layout, "rates", ports.rates, "http", "--folder", str(layout.rates)),
        _service(layout, "mail-sink", ports.mail, "smtp", "--folder", str(layout.mail)),
        _service(layout, "webhook-sink", ports.webhook, "http", "--folder", str(layout.slack)),
    )


def answers(service: Service) -> bool:
    """Whether the service speaks its protocol."""
    if service.url.startswith("http:"):
        return get_json(f"{service.url}/health") is not None
    host, _, port = service.url.removeprefix("smtp://").partition(":")
    with suppress(OSError, smtplib.SMTPException), smtplib.SMTP(host, int(port), timeout=3):
        return True
    return False


def get_json(url: str) -> dict[str, dict[str, str | None]] | None:
    """The JSON object a health page answers, or None while it does not."""
    with suppress(OSError, ValueError), DIRECT.open(url, timeout=3) as answer:
        return dict(json.load(answer))
    return None


def _service(layout: Layout, name: str, port: int, scheme: str, *arguments: str) -> Service:
    module = f"sample_services.{name.replace('-', '_')}"
    return Service(
        name=name,
        argv=dies_with_supervisor(
            "TERM", sys.executable, "-m", module, "--port", str(port), *arguments
        ),
        folder=layout.run,
        ports=(name.partition("-")[0],),
        url=f"{scheme}://{LOOPBACK}:{port}",
    )
