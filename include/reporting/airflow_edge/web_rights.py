"""Who may see and do what in the package's web routes: Airflow's own rights decide."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.base_auth_manager import (
    COOKIE_NAME_JWT_TOKEN,
    BaseAuthManager,
)
from airflow.api_fastapi.auth.managers.models.resource_details import (
    ConnectionDetails,
    DagAccessEntity,
    DagDetails,
)
from airflow.api_fastapi.core_api.security import bearer_scheme, get_user
from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials
from pydantic import Field

from reporting.airflow_edge.settings import settings
from reporting.core.service.dead_facts import LONGEST

if TYPE_CHECKING:
    from airflow.api_fastapi.auth.managers.base_auth_manager import ResourceMethod
    from airflow.api_fastapi.auth.managers.models.batch_apis import IsAuthorizedDagRequest

UNAUTHORIZED, FORBIDDEN = 401, 403
LOGIN = "Log in to Airflow, or send its token as `Authorization: Bearer …`."
BAD_LOGIN = "The token, or the login, is not valid or no longer: log in to Airflow again."
RUNS, DATA = DagAccessEntity.RUN, DagAccessEntity.XCOM


@dataclass(frozen=True)
class Rights:
    """What a logged-in user may do.

    Airflow is always asked with the name and the team of each DAG: without them it says only
    whether somebody may list DAGs, to whom it then shows a few.
    """

    user: Any

    @property
    def name(self) -> str:
        """What the user is called."""
        return str(self.user.get_name())

    def readable(self, entity: DagAccessEntity | None = None) -> list[str] | None:
        """Return the reports whose DAG the user may read; None for all that there is.

        Args:
            entity: what of them is to be listed; without the right to list any of it there is
                nothing to read.
        """
        if self.may("GET", None, entity):
            return None
        if entity is not None and not self._manager.is_authorized_dag(
            method="GET", access_entity=entity, user=self.user
        ):
            return []
        return sorted(self._manager.get_authorized_dag_ids(user=self.user, method="GET"))

    def may(
        self, method: "ResourceMethod", report: str | None, entity: DagAccessEntity | None = None
    ) -> bool:
        """Say whether the user may do this to a report's DAG, or to what belongs to none.

        What belongs to no known report is for those who may do it to every DAG, and to the
        connection of the broker: the people who look after that.
        """
        if report is None:
            return self._may_broker(method) and self._may_everything(method, entity)
        return self._manager.is_authorized_dag(
            method=method, access_entity=entity, details=_details(report), user=self.user
        )

    def _may_broker(self, method: "ResourceMethod") -> bool:
        from airflow.models.connection import Connection

        conn_id = settings().broker_conn_id
        details = ConnectionDetails(conn_id, Connection.get_team_name(conn_id))
        return self._manager.is_authorized_connection(
            method=method, details=details, user=self.user
        )

    def _may_everything(self, method: "ResourceMethod", entity: DagAccessEntity | None) -> bool:
        asked: list[IsAuthorizedDagRequest] = [
            {"method": method, "access_entity": entity, "details": details}
            for details in _every_dag()
        ]
        return self._manager.batch_is_authorized_dag(asked, user=self.user)

    @property
    def _manager(self) -> BaseAuthManager[Any]:
        return get_auth_manager()


def _details(report: str) -> DagDetails:
    from airflow.models.dag import DagModel

    return DagDetails(id=report, team_name=DagModel.get_team_name(report))


def _every_dag() -> list[DagDetails]:
    """Return all DAGs that Airflow knows, each with its team, by one query."""
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.models.team import Team
    from airflow.utils.session import create_session
    from sqlalchemy import select

    dag: Any = DagModel.__table__.c
    bundles = select(DagBundleModel.name, Team.name.label("team")).join(DagBundleModel.teams)
    teams = bundles.subquery()
    query = select(dag.dag_id, teams.c.team).outerjoin(teams, teams.c.name == dag.bundle_name)
    with create_session(scoped=False) as session:
        return [DagDetails(id=name, team_name=team) for name, team in session.execute(query)]


async def user_of(
    request: Request, token: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer_scheme)]
) -> Any:
    """Return the user who sends a request; Airflow decides which login counts.

    Raises:
        HTTPException: 401, also for a token that is none, which Airflow calls forbidden.
    """
    try:
        return await get_user(request, None, token)
    except HTTPException as error:
        if error.status_code not in (UNAUTHORIZED, FORBIDDEN):
            raise
        has_login = token is not None or bool(request.cookies.get(COOKIE_NAME_JWT_TOKEN))
        said, headers = BAD_LOGIN if has_login else LOGIN, {"WWW-Authenticate": "Bearer"}
        raise HTTPException(UNAUTHORIZED, said, headers) from None


def rights_of(user: Annotated[Any, Depends(user_of)]) -> Rights:
    """Return the rights of whoever sends a request; nobody gets past this without a login."""
    return Rights(user)


class OtherSiteError(HTTPException):
    """A page of another site asks for a change by the cookie of a user's browser."""

    def __init__(self) -> None:
        super().__init__(
            FORBIDDEN, "A page of another site may change nothing; send the token as a header."
        )


def demand_own_page(request: Request) -> None:
    """Refuse a change that another site's page asks for by the cookie of a user's browser."""
    if not is_own_page(request.headers):
        raise OtherSiteError


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


def demand_may_change(rights: Rights, report: str | None) -> None:
    """Refuse somebody who may not change the runs of a report; of None, those of every one."""
    demand(rights.may("PUT", report, RUNS), f"change the runs of {whose(report)}")


def whose(report: str | None) -> str:
    """Return in words whose something is; None for what belongs to no known report."""
    return f"report {report!r}" if report else "every report, and the broker's connection"


RightsDep = Annotated[Rights, Depends(rights_of)]
CHANGING = [Depends(demand_own_page)]
# The largest number that the warehouse gives to a thing.
LARGEST_NUMBER = 2**63 - 1
# The database takes no NUL.
PLAIN = r"^[^\x00]*$"
# A name in a request.
Text = Annotated[str, Field(max_length=LONGEST, pattern=PLAIN)]
