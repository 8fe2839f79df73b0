"""Deliveries: who is sent the published files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from reporting.errors import DefinitionError


@dataclass(frozen=True)
class Email:
    """A mail with the files attached, one per recipient.

    Attributes:
        to: the recipients' addresses.
        conn_id: Airflow SMTP connection.
    """

    to: list[str]
    conn_id: str = "smtp_default"

    def __post_init__(self) -> None:
        """Refuse no recipient, a repeated one or a text that is no address."""
        for address in self.to:
            if address.count("@") != 1 or any(char.isspace() for char in address):
                raise DefinitionError(f"Email: to={address!r}; allowed: an address name@host.")
        if not self.to or len(set(self.to)) != len(self.to):
            raise DefinitionError(f"Email: to={self.to!r}; allowed: one or more, each once.")


@dataclass(frozen=True)
class AlertByEmail:
    """Where to write when a run fails or publishes without an optional source."""

    to: list[str]
    conn_id: str = "smtp_default"


@dataclass(frozen=True)
class AlertBySlack:
    """Slack incoming webhook to post to when a run fails."""

    conn_id: str = "slack_default"


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
