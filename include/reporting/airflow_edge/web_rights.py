"""Who may see and do what in the package's web routes: Airflow's own rights decide."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.base_auth_manager import BaseAuthManager
from airflow.api_fastapi.auth.managers.models.resource_details import DagAccessEntity, DagDetails
from airflow.api_fastapi.core_api.security import GetUserDep
from fastapi import Depends, HTTPException, Request
from pydantic import Field

from reporting.core.service.dead_facts import LONGEST

if TYPE_CHECKING:
    from airflow.api_fastapi.auth.managers.base_auth_manager import ResourceMethod

FORBIDDEN = 403
RUNS, DATA = DagAccessEntity.RUN, DagAccessEntity.XCOM


@dataclass(frozen=True)
class Rights:
    """What a logged-in user may do.

    What belongs to no known report is for those who may see every DAG and the connections: the
    people who look after the brokers.
    """

    user: Any

    @property
    def name(self) -> str:
        """What the user is called."""
        return str(self.user.get_name())

    def readable(self) -> list[str] | None:
        """Return the reports whose DAG the user may read; None for everything."""
        if self.may("GET", None):
            return None
        return sorted(self._manager.get_authorized_dag_ids(user=self.user, method="GET"))

    def may(
        self, method: "ResourceMethod", report: str | None, entity: DagAccessEntity | None = None
    ) -> bool:
        """Say whether the user may do this to a report's DAG, or to what belongs to none."""
        if report is None:
            return self._manager.is_authorized_dag(
                method=method, access_entity=entity, user=self.user
            ) and self._manager.is_authorized_connection(method=method, user=self.user)
        return self._manager.is_authorized_dag(
            method=method, access_entity=entity, details=_details(report), user=self.user
        )

    @property
    def _manager(self) -> BaseAuthManager[Any]:
        return get_auth_manager()


def _details(report: str) -> DagDetails:
    from airflow.models.dag import DagModel

    return DagDetails(id=report, team_name=DagModel.get_team_name(report))


def rights_of(user: GetUserDep) -> Rights:
    """Return the rights of whoever sends a request; nobody gets past this without a login."""
    return Rights(user)


def demand_own_page(request: Request) -> None:
    """Refuse a change that another site's page asks for by the cookie of a user's browser."""
    if not is_own_page(request.headers):
        raise HTTPException(
            FORBIDDEN, "A page of another site may change nothing; send the token as a header."
        )


def is_own_page(headers: Mapping[str, str]) -> bool:
    """Say whether a request comes from our own page, or from a program with a token.

    A browser sends a cookie with whatever any page asks for, yet no page of another site can
    make it send a token in a header. Browsers say where a page is from; on plain HTTP some leave
    `Sec-Fetch-Site` out.
    """
    if headers.get("authorization", "").lower().startswith("bearer "):
        return True
    if site := headers.get("sec-fetch-site"):
        return site == "same-origin"
    origin = urlsplit(headers.get("origin", "")).netloc
    return bool(origin) and origin == headers.get("host")


def demand(is_allowed: bool, what: str) -> None:
    """Refuse somebody who may not do what they ask for."""
    if not is_allowed:
        raise HTTPException(FORBIDDEN, f"For this one must be allowed to {what}.")


RightsDep = Annotated[Rights, Depends(rights_of)]
CHANGING = [Depends(demand_own_page)]
# A name in a request; the database takes no NUL.
Text = Annotated[str, Field(max_length=LONGEST, pattern=r"^[^\x00]*$")]
