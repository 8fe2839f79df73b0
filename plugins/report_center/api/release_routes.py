"""Releases: list and get."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from report_center.api.asking import RELEASES, answer
from report_center.api.cursor import ReleaseCursor, number_in, release_cursor
from report_center.api.problems import not_there, problems
from report_center.api.release_models import Release, ReleaseList
from report_center.api.run_routes import LARGEST_PAGE, PeriodKey
from report_center.records.releases import ReleaseRow, ReleasesWanted, release, releases
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.watched_warehouse import read_only_warehouse
from reporting.airflow_edge.web_rights import LARGEST_NUMBER, Rights, RightsDep, Text

if TYPE_CHECKING:
    import psycopg

ReleaseId = Annotated[int, Path(ge=1, le=LARGEST_NUMBER, description="id of the release")]


class ReleasesAsked(BaseModel):
    """Which releases are asked for."""

    report: Text | None = Field(None, description="only of this report")
    period: PeriodKey | None = Field(None, description="only of this period")
    is_current: bool | None = Field(None, description="only those that readers see, or do not see")
    cursor: ReleaseCursor | None = None
    limit: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 50


router = APIRouter(prefix="/api/releases", tags=["releases"])


@router.get(
    "", summary="Releases, the newest first", response_model=ReleaseList, responses=problems()
)
async def list_releases(rights: RightsDep, asked: Annotated[ReleasesAsked, Query()]) -> Response:
    """Return one page of the releases you may read."""

    def listed() -> Response:
        given = asked.model_dump(exclude={"cursor", "limit"})
        before, limit = number_in(asked.cursor), asked.limit + 1
        wanted = ReleasesWanted(rights.readable(), **given, before=before, limit=limit)
        with releases_opened() as warehouse:
            found = releases(warehouse, wanted) if warehouse else []
        shown = found[: asked.limit]
        more = shown[-1].release_id if len(found) > asked.limit else None
        return answer(ReleaseList, {"releases": shown, "next_cursor": release_cursor(more)})

    return await in_own_thread(RELEASES, listed)


@router.get("/{release_id}", summary="One release", response_model=Release, responses=problems(404))
async def show_release(rights: RightsDep, release_id: ReleaseId) -> Response:
    """Return one release, with its files."""

    def shown() -> Response:
        with releases_opened() as warehouse:
            return answer(Release, readable_release(warehouse, rights, release_id))

    return await in_own_thread(RELEASES, shown)


def readable_release(
    warehouse: "psycopg.Connection[Any] | None", rights: Rights, release_id: int
) -> ReleaseRow:
    """Return a release of a report that the user may read.

    Raises:
        HTTPException: 404.
    """
    found = seen_release(warehouse, rights, release_id)
    if found is None:
        raise not_there(f"Release {release_id}")
    return found


def seen_release(
    warehouse: "psycopg.Connection[Any] | None", rights: Rights, release_id: int
) -> ReleaseRow | None:
    """Return a release, or None when there is none that the user may read."""
    found = release(warehouse, release_id) if warehouse else None
    return found if found is not None and rights.may("GET", found.report) else None


@contextmanager
def releases_opened() -> "Iterator[psycopg.Connection[Any] | None]":
    """Open the warehouse for the block; None as long as nothing was ever published."""
    with closing(read_only_warehouse()) as connection:
        is_there = connection.execute("SELECT to_regclass('reporting.release')").fetchone()
        yield connection if is_there and is_there[0] else None
