"""All pages that change something, to be included before those that only show."""

from fastapi import APIRouter

from report_center.actions import letter_routes, pointer_routes, run_routes, trigger_routes

router = APIRouter()
for part in (trigger_routes, run_routes, pointer_routes, letter_routes):
    router.include_router(part.router)
