"""The web app of reports in Airflow's API server: none of its routes answers without a login."""

from fastapi import Depends, FastAPI

from reporting.airflow_edge.dead_letter_routes import router as dead_letters
from reporting.airflow_edge.reconciliation_routes import router as reconciliation
from reporting.airflow_edge.web_problems import tell_problems
from reporting.airflow_edge.web_rights import rights_of


def report_app() -> FastAPI:
    """Return the app to mount."""
    app = FastAPI(title="Reports", openapi_url=None, dependencies=[Depends(rights_of)])
    app.include_router(dead_letters)
    app.include_router(reconciliation)
    tell_problems(app)
    return app
