"""The sample service that is asked by messages, as a supervised process; absent with the broker."""

import sys
from urllib.parse import quote

from embedded_stack import broker_api, rabbitmq
from embedded_stack.layout import Layout
from embedded_stack.service import Service, dies_with_supervisor
from reporting.serving import is_served
from sample_services.planes import QUEUE, URL

NAME = "planes"


def service(layout: Layout) -> Service:
    """The service; without a command where there is no RabbitMQ."""
    command = dies_with_supervisor("TERM", sys.executable, "-m", "sample_services.planes")
    return Service(
        name=NAME,
        argv=command if rabbitmq.find() else (),
        folder=layout.run,
        environment={URL: broker_url(layout)},
    )


def answers(layout: Layout) -> bool:
    """Whether it takes requests."""
    return is_served(broker_url(layout), QUEUE)


def broker_url(layout: Layout) -> str:
    """Where services find the reports' virtual host, with the password in it."""
    password = quote(layout.credentials.broker_password, safe="")
    place = f"{layout.broker_host}:{layout.ports.broker}"
    return f"amqp://{broker_api.USER}:{password}@{place}/{broker_api.VHOST}"
