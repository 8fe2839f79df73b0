"""The address that a service is given to call back, and the secret that signs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.airflow_edge.settings import settings
from reporting.core.service.callback import Awaited, sign
from reporting.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Mapping

ROUTE = "/reports/api/callbacks"


def callback_address(awaited: Awaited) -> str:
    """Return the address for one request.

    Raises:
        DefinitionError: the installation does not say where it can be called back.
    """
    base = settings().callback_url.rstrip("/")
    return f"{base}{ROUTE}/{sign(awaited, callback_secret())}"


def callback_secret() -> str:
    """Return what addresses are signed with.

    Raises:
        DefinitionError: it is not set.
    """
    known: Mapping[str, str] = vars(settings())
    for name in ("callback_url", "callback_secret"):
        if not known[name]:
            raise DefinitionError(
                f"A source waits for callbacks, yet REPORTING_{name.upper()} is not set; set it "
                "for the workers and the API server."
            )
    return settings().callback_secret
