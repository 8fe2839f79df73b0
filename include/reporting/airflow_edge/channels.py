"""Mail and Slack through Airflow's own connections and hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from reporting.airflow_edge.mail import Mail, send_mail
from reporting.core.sweep import Sweep
from reporting.core.warehouse.receipts import Message
from reporting.definition.delivery import AlertByEmail

if TYPE_CHECKING:
    from reporting.definition.delivery import Alert

TIMEOUT_SECONDS = 20


def alert_messages(
    alerts: Sequence[Alert], about: str, subject: str, text: str, sweep: Sweep | None = None
) -> list[Message]:
    """Return one message per channel and recipient.

    Args:
        alerts: whom to tell, and how.
        about: makes each message unique.
        subject: in one line.
        text: in full.
        sweep: remembers the channels that do not answer, of which each is waited for once; without
            it they are those of these messages.
    """
    asked = sweep or Sweep()
    return [
        Message(about, channel, recipient, partial(asked.ask, alert.conn_id, send))
        for alert in alerts
        for channel, recipient, send in _ways(alert, subject, text)
    ]


def _ways(alert: Alert, subject: str, text: str) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """Yield channel, recipient and what sends, of all whom an alert names."""
    if isinstance(alert, AlertByEmail):
        for address in alert.to:
            mail = Mail(address, subject, text)
            yield "email", address, partial(send_mail, alert.conn_id, mail)
    else:
        post = partial(send_slack, alert.conn_id, f"*{subject}*\n{text}")
        yield "slack", alert.conn_id, post


def send_slack(conn_id: str, text: str) -> None:
    """Post to an incoming webhook; raises when Slack does not take it."""
    from airflow.providers.slack.hooks.slack_webhook import SlackWebhookHook

    SlackWebhookHook(slack_webhook_conn_id=conn_id, timeout=TIMEOUT_SECONDS).send_text(text)


def run_url(dag_id: str, run_id: str) -> str:
    """Return the address of the run's page in Airflow."""
    return f"{_base_url()}/dags/{quote(dag_id, safe='')}/runs/{quote(run_id, safe='')}"


def center_url(dag_id: str, run_id: str) -> str:
    """Return the address of the run's page in the report center."""
    return f"{_base_url()}/reports/runs/{quote(dag_id, safe='')}/{quote(run_id, safe='')}"


def _base_url() -> str:
    from airflow.sdk.configuration import conf

    return str(conf.get("api", "base_url", fallback="http://localhost:8080")).rstrip("/")
