"""Downloads: a release's files go through the app, so that no address lets others in."""

from collections.abc import AsyncIterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from report_center.api.asking import FILES
from report_center.api.file_names import content_type, disposition, download_name
from report_center.api.problems import GONE, not_there, problems
from report_center.api.release_routes import ReleaseId, readable_release, releases_opened
from report_center.records.opened import looking
from report_center.records.releases import FileRow, ReleaseRow
from report_center.records.reports import report
from reporting.airflow_edge.own_threads import in_own_thread
from reporting.airflow_edge.s3_clients import s3_client
from reporting.airflow_edge.settings import settings
from reporting.airflow_edge.web_rights import DATA, PLAIN, Rights, RightsDep, demand
from reporting.core.objects import Bucket
from reporting.core.service.dead_facts import LONGEST

PIECE_BYTES = 256 * 1024
# Whatever the file is, a browser runs nothing in it.
INERT = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, no-store",
    "Accept-Ranges": "none",
}
FileName = Annotated[
    str, Path(max_length=LONGEST, pattern=PLAIN, description="`name` of a file of the release")
]
FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}
router = APIRouter(prefix="/api/releases", tags=["releases"])


class FileAnswer(StreamingResponse):
    """Sends an object's body piece by piece, and closes it: also when the reader has left before.

    A reader who leaves before the first piece stops the answer before it looks at its pieces.
    """

    def __init__(self, body: Any, headers: Mapping[str, str], media_type: str) -> None:
        """Send the body."""
        super().__init__(_pieces(body), headers=headers, media_type=media_type)
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._body.close()


@router.get(
    "/{release_id}/files/{name}",
    summary="Download a file of a release",
    response_class=StreamingResponse,
    responses={**problems(404, 410), **FILE},
)
async def download(rights: RightsDep, release_id: ReleaseId, name: FileName) -> FileAnswer:
    """Return the file as it was published."""
    release, file, title = await in_own_thread(FILES, _readable_file, rights, release_id, name)
    shown = download_name(title, release, file.name)
    headers = {**INERT, "Content-Disposition": disposition(shown, file.name)}
    body, size = await in_own_thread(FILES, _opened, release, file)
    return FileAnswer(body, {**headers, "Content-Length": str(size)}, content_type(file.name))


def _readable_file(rights: Rights, release_id: int, name: str) -> tuple[ReleaseRow, FileRow, str]:
    """Return a release, one of its files, and what people call the report."""
    with releases_opened() as warehouse:
        release = readable_release(warehouse, rights, release_id)
    is_allowed = rights.may("GET", release.report, DATA)
    demand(is_allowed, f"see the data of report {release.report!r}")
    file = release.file(name)
    if file is None:
        raise not_there(f"File {name!r} of release {release_id}")
    return release, file, _title(release.report)


def _title(name: str) -> str:
    with looking() as (session, _):
        found = report(session, name)
    return name if found is None else found.title


def _opened(release: ReleaseRow, file: FileRow) -> tuple[Any, int]:
    """Return the object's body and its size."""
    bucket = Bucket(s3_client(settings().store_conn_id), settings().reports_bucket)
    found = bucket.opened(file.key)
    if found is None:
        raise HTTPException(
            GONE,
            f"File {file.name!r} of release {release.release_id} is gone from the store; see what "
            f"to do: reports reconcile --report {release.report}",
        )
    return found


async def _pieces(body: Any) -> AsyncIterator[bytes]:
    while piece := await in_own_thread(FILES, body.read, PIECE_BYTES):
        yield piece
