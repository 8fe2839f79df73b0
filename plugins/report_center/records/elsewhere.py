"""The warehouse, the store and the broker, any of which may be away.

What is asked of one that is away comes back empty, and `unseen` says what is missing: a page shows
the rest.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from reporting.core.redact import without_secrets

if TYPE_CHECKING:
    import psycopg

    from reporting.core.objects import Bucket
    from reporting.core.service.broker import Broker

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass
class Elsewhere:
    """What is asked besides Airflow's own database; opened at the first question.

    Attributes:
        open_warehouse: returns a connection to the report warehouse.
        open_staging: returns the bucket of staged data.
        open_broker: returns the broker; None for an installation without one.
        unseen: what could not be asked, in words.
    """

    open_warehouse: Callable[[], psycopg.Connection[Any]]
    open_staging: Callable[[], Bucket]
    open_broker: Callable[[], Broker | None]
    unseen: list[str] = field(default_factory=list)
    _opened: dict[str, Any] = field(default_factory=dict)

    def warehouse(self, ask: Callable[[psycopg.Connection[Any]], T], otherwise: T) -> T:
        """Ask the warehouse; return `otherwise` when it does not answer."""
        return self._asked("The report warehouse", self.open_warehouse, ask, otherwise)

    def staging(self, ask: Callable[[Bucket], T], otherwise: T) -> T:
        """Ask the store of staged data; return `otherwise` when it does not answer."""
        return self._asked("The report store", self.open_staging, ask, otherwise)

    def broker(self, ask: Callable[[Broker | None], T], otherwise: T) -> T:
        """Ask the broker; return `otherwise` when it does not answer."""
        return self._asked("The message broker", self.open_broker, ask, otherwise)

    def close(self) -> None:
        """Give up the connection to the warehouse, if it was opened."""
        connection = self._opened.pop("The report warehouse", None)
        if connection is not None:
            connection.close()

    def _asked(
        self, what: str, opened: Callable[[], Any], ask: Callable[[Any], T], otherwise: T
    ) -> T:
        if self._is_away(what):
            return otherwise
        import psycopg

        try:
            if what not in self._opened:
                self._opened[what] = opened()
            return ask(self._opened[what])
        except psycopg.errors.UndefinedTable:  # before the first run of all
            return otherwise
        except Exception as error:  # noqa: BLE001 - whatever a client raises: the rest is shown
            log.warning("%s does not answer: %s", what, without_secrets(str(error)))
            self.unseen.append(f"{what} does not answer ({type(error).__name__}).")
            return otherwise

    def _is_away(self, what: str) -> bool:
        """Say whether it did not answer before: nobody waits for its time limit twice."""
        return any(text.startswith(what) for text in self.unseen)
