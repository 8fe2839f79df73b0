"""All routes of the API."""

from fastapi import APIRouter, HTTPException

from report_center.api.change_routes import router as changes
from report_center.api.document_routes import router as document
from report_center.api.file_routes import router as files
from report_center.api.health_routes import router as health
from report_center.api.letter_routes import router as letters
from report_center.api.pointer_routes import router as pointer
from report_center.api.problems import NOT_THERE
from report_center.api.reconciliation_routes import router as reconciliation
from report_center.api.release_routes import router as releases
from report_center.api.report_routes import router as reports
from report_center.api.result_routes import router as results
from report_center.api.run_routes import router as runs
from report_center.api.trigger_routes import router as trigger

router = APIRouter()
LONGEST_SHOWN = 100
OF_RUNS = (reports, runs, trigger, results, changes)
for part in (document, *OF_RUNS, releases, pointer, files, letters, health, reconciliation):
    router.include_router(part)


@router.get("/api/{path:path}", include_in_schema=False)
async def not_in_the_api(path: str) -> None:
    """Say that there is no such thing; the last of all, as pages have an answer of their own."""
    shown = f"/api/{path}"[:LONGEST_SHOWN]
    raise HTTPException(NOT_THERE, f'There is no address "{shown}"; `/reports/api/docs` lists all.')
