"""Health: what has piled up, what is late, what stands still, what is free."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Response

from report_center.api.asking import answered
from report_center.api.health_models import Health
from report_center.api.problems import problems
from report_center.records.wellbeing import health
from reporting.airflow_edge.web_rights import RUNS, RightsDep

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from report_center.records.elsewhere import Elsewhere

router = APIRouter(prefix="/api/health", tags=["health"])


@router.get("", summary="How the installation is", response_model=Health, responses=problems())
async def show_health(rights: RightsDep) -> Response:
    """Return how the installation is, as far as it concerns the reports you may read."""

    def look(session: "Session", elsewhere: "Elsewhere") -> Any:
        return health(session, elsewhere, datetime.now(UTC), rights.readable(RUNS))

    return await answered(Health, look)
