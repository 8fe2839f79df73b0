"""All pages of the report center, to be included last: whatever else is asked for is not there."""

from fastapi import APIRouter

from report_center.pages import (
    health_routes,
    letter_routes,
    report_routes,
    run_routes,
    static_routes,
    today_routes,
)

router = APIRouter()
for part in (today_routes, run_routes, report_routes, letter_routes, health_routes, static_routes):
    router.include_router(part.router)
