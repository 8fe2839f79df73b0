"""Stylesheet, script and icons, and the page for whatever is not there."""

from collections.abc import Mapping
from types import MappingProxyType

from fastapi import APIRouter, Response

from report_center.pages.faults import NotThereError
from report_center.pages.page_route import PageRoute
from report_center.pages.shell import STATIC

TYPES: Mapping[str, str] = MappingProxyType(
    {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
)
# Pages name a file with a mark of its content, so an old one is never asked for again.
KEPT = {"Cache-Control": "private, max-age=86400"}
router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/static/{name}")
async def send_static(name: str) -> Response:
    """Send one of the files that pages are made with."""
    known = {path.name: path for path in STATIC.iterdir()}
    if name not in known:
        raise NotThereError("page", name)
    kind = TYPES[name.rpartition(".")[2]]
    return Response(known[name].read_bytes(), media_type=f"{kind}; charset=utf-8", headers=KEPT)


@router.get("/{path:path}")
async def not_there(path: str) -> Response:
    """Say that there is no such page; included last."""
    raise NotThereError("page", path)
