"""Deliveries: who is sent the published files."""

from __future__ import annotations

from dataclasses import dataclass

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
