"""Deliveries and alerts: who is sent the published files, and who is told of failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from reporting.definition.checked import checked
from reporting.definition.names import check_line
from reporting.errors import DefinitionError


@checked
@dataclass(frozen=True)
class Email:
    """A mail with the files attached, one per recipient.

    Attributes:
        to: the recipients' addresses.
        conn_id: Airflow SMTP connection.
    """

    to: Sequence[str]
    conn_id: str = "smtp_default"

    def __post_init__(self) -> None:
        """Refuse no recipient, a repeated one or a text that is no address."""
        _check_recipients("Email", self.to)
        check_line("Email: conn_id", self.conn_id)


@checked
@dataclass(frozen=True)
class AlertByEmail:
    """Where to write when a run fails or publishes without an optional source.

    Attributes:
        to: the recipients' addresses.
        conn_id: Airflow SMTP connection.
    """

    to: Sequence[str]
    conn_id: str = "smtp_default"

    def __post_init__(self) -> None:
        """Refuse no recipient, a repeated one or a text that is no address."""
        _check_recipients("AlertByEmail", self.to)
        check_line("AlertByEmail: conn_id", self.conn_id)


@checked
@dataclass(frozen=True)
class AlertBySlack:
    """Slack channel to post to when a run fails or publishes without an optional source.

    Attributes:
        conn_id: Airflow connection of type `slackwebhook`: an incoming webhook.
    """

    conn_id: str = "slack_default"

    def __post_init__(self) -> None:
        """Refuse no connection."""
        check_line("AlertBySlack: conn_id", self.conn_id)


@checked
@dataclass(frozen=True)
class NoticeBySlack:
    """Slack channel to post to when a version was published.

    A notice may get lost: it is tried once, for a moment, and never holds up or fails the run.

    Attributes:
        conn_id: Airflow connection of type `slackwebhook`: an incoming webhook.
    """

    conn_id: str = "slack_default"

    def __post_init__(self) -> None:
        """Refuse no connection."""
        check_line("NoticeBySlack: conn_id", self.conn_id)


Alert = AlertByEmail | AlertBySlack


def alert_to_json(alert: Alert) -> dict[str, Any]:
    """Return plain data that `alert_from_json` reads."""
    return {"channel": CHANNELS[type(alert)], **asdict(alert)}


def alert_from_json(data: Mapping[str, Any]) -> Alert:
    """Read what `alert_to_json` wrote."""
    fields = {name: value for name, value in data.items() if name != "channel"}
    kinds = {channel: kind for kind, channel in CHANNELS.items()}
    return kinds[data["channel"]](**fields)


CHANNELS: dict[type[Alert], str] = {AlertByEmail: "email", AlertBySlack: "slack"}


def recipients(parts: Sequence[Email | Alert]) -> list[str]:
    """Return every recipient of every part, as the receipts tell them apart."""
    listed = []
    for part in parts:
        if isinstance(part, AlertBySlack):
            listed.append(f"slack {part.conn_id}")
        else:
            listed += [f"email {address}" for address in part.to]
    return listed


def _check_recipients(what: str, to: Sequence[str]) -> None:
    for address in to:
        if not _is_address(address):
            raise DefinitionError(f"{what}: to={address!r}; allowed: an address name@host.")
    if not to or len(set(to)) != len(to):
        raise DefinitionError(f"{what}: to={to!r}; allowed: one or more, each once.")


def _is_address(text: str) -> bool:
    name, _, host = text.partition("@")
    plain = text.isprintable() and not any(char in " ,;<>" for char in text)
    return plain and bool(name) and bool(host) and "@" not in host
