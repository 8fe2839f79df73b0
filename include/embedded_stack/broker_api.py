"""RabbitMQ's own HTTP interface, for what its message protocol cannot do."""

import base64
import json
import urllib.request
from typing import Any
from urllib.error import HTTPError

from embedded_stack import sample
from embedded_stack.errors import StackError
from embedded_stack.layout import Layout

USER = "reports"
VHOST = "reports"
UNAUTHORIZED = 401
ANSWER_SECONDS = 15.0  # removing a virtual host with its queues takes some


def call(layout: Layout, method: str, path: str, body: object = None) -> Any:
    """Ask for something below `/api` and return the JSON it answers, None where it is empty.

    Raises:
        StackError: the broker does not accept the password.
        OSError: it does not answer, or it refuses.
    """
    login = f"{USER}:{layout.credentials.broker_password}".encode()
    request = urllib.request.Request(
        f"http://{layout.broker_host}:{layout.ports.broker_admin}/api{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": f"Basic {base64.b64encode(login).decode()}",
            "Content-Type": "application/json",
        },
    )
    try:
        with sample.DIRECT.open(request, timeout=ANSWER_SECONDS) as answer:
            text = answer.read()
    except HTTPError as error:
        if error.code == UNAUTHORIZED:
            raise StackError(_foreign_password(layout)) from None
        raise
    return json.loads(text) if text else None


def make_vhost(layout: Layout) -> None:
    """Make the reports' virtual host if it is missing, and let their user in."""
    call(layout, "PUT", f"/vhosts/{VHOST}", {})
    everything = {"configure": ".*", "write": ".*", "read": ".*"}
    call(layout, "PUT", f"/permissions/{VHOST}/{USER}", everything)


def _foreign_password(layout: Layout) -> str:
    return (
        f"the broker at {layout.broker_host}:{layout.ports.broker} does not accept the password "
        f"of its user {USER}: it keeps the one of its first start. Put that one back, or remove "
        "the broker's data, with all messages in it"
    )
