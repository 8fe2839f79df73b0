"""An HTTP API that prepares euro reference rates as jobs: order, wait or be called, then fetch.

Usage: python -m sample_services.rates --port 8092 --folder var/rates
"""

import argparse
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Literal

import uvicorn
from fastapi import FastAPI, Header, HTTPException, Response
from pydantic import AnyHttpUrl, BaseModel, ConfigDict, Field

from sample_services.rates_callback import Caller
from sample_services.rates_data import ReferenceRates, data_file
from sample_services.rates_jobs import CANCELLED, DONE, Job, JobFolder, KeyReusedError, id_of

LOOPBACK = "127.0.0.1"
JOB_SECONDS = 1.5
KEPT_SECONDS = 8 * 86_400.0  # a fetch waits for seven days at most
ACCEPTED, NO_CONTENT, NOT_FOUND, CONFLICT, GONE, UNPROCESSABLE = 202, 204, 404, 409, 410, 422

Key = Annotated[str, Header(alias="Idempotency-Key", min_length=1, max_length=200)]


class Order(BaseModel):
    """The body of an order.

    Attributes:
        rates: all rates `in_month`, or the last of each currency in the month before it:
            `last_before_month`.
        month: `YYYY-MM`.
        callback_url: where to POST that the job is done.
    """

    model_config = ConfigDict(extra="forbid")
    rates: Literal["in_month", "last_before_month"]
    month: Annotated[str, Field(pattern=r"^[12][0-9]{3}-(0[1-9]|1[0-2])$")]
    callback_url: AnyHttpUrl | None = None

    def job(self, key: str, takes: float) -> Job:
        """The job it makes now."""
        url = None if self.callback_url is None else str(self.callback_url)
        return Job(id_of(key), self.rates, self.month, time.time(), takes, url)


class RatesService:
    """What the API does; all on the event loop's one thread."""

    def __init__(self, rates: ReferenceRates, jobs: JobFolder, takes: float) -> None:
        """Serve `rates` by `jobs` of which each takes so many seconds."""
        self._rates, self._jobs, self._takes = rates, jobs, takes
        self._caller = Caller(jobs)

    @asynccontextmanager
    async def life(self, _app: FastAPI) -> AsyncIterator[None]:
        """Go on with the calls of an earlier life; end them with this one."""
        self._jobs.forget_submitted_before(time.time() - KEPT_SECONDS)
        self._caller.start_untold()
        yield
        await self._caller.stop()

    async def order(self, order: Order, key: Key) -> dict[str, str | int]:
        """Make a job; the same key again gives the same job."""
        made = order.job(key, self._takes)
        is_new = self._jobs.find(made.id) is None
        try:
            job = self._jobs.take(made)
        except KeyReusedError:
            raise HTTPException(
                UNPROCESSABLE, "Idempotency-Key: stands for other rates; allowed is a new one"
            ) from None
        if is_new and job.callback_url:
            self._caller.start(job)
        return _told(job)

    async def status(self, job_id: str) -> dict[str, str | int]:
        """Tell how a job is."""
        return _told(self._known(job_id))

    async def result(self, job_id: str) -> Response:
        """Give the rates, one JSON object a line."""
        job = self._known(job_id)
        status = job.status(time.time())
        if status != DONE:
            code = GONE if status == CANCELLED else CONFLICT
            raise HTTPException(code, f"job {job.id} is {status}; its result is there once done")
        select = {"in_month": self._rates.in_month, "last_before_month": self._rates.last_before}
        lines = (json.dumps(asdict(fixing)) + "\n" for fixing in select[job.rates](job.month))
        return Response("".join(lines), media_type="application/x-ndjson")

    async def cancel(self, job_id: str) -> None:
        """Cancel a job; one that is done stays so."""
        job = self._known(job_id)
        if job.status(time.time()) == DONE:
            raise HTTPException(CONFLICT, f"job {job.id} is done; allowed while it is running")
        self._jobs.cancel(job)

    def _known(self, job_id: str) -> Job:
        job = self._jobs.find(job_id)
        if job is None:
            raise HTTPException(NOT_FOUND, f"there is no job {job_id!r}")
        return job


def create_app(rates: ReferenceRates, jobs: JobFolder, takes: float = JOB_SECONDS) -> FastAPI:
    """The API over some rates."""
    service = RatesService(rates, jobs, takes)
    app = FastAPI(title="Euro reference rates", lifespan=service.life)
    app.post("/jobs", status_code=ACCEPTED)(service.order)
    app.get("/jobs/{job_id}")(service.status)
    app.get("/jobs/{job_id}/result")(service.result)
    app.delete("/jobs/{job_id}", status_code=NO_CONTENT)(service.cancel)

    @app.get("/health")
    async def health() -> dict[str, dict[str, str]]:
        return {"rates": {"status": "healthy"}}

    return app


def _told(job: Job) -> dict[str, str | int]:
    now = time.time()
    return {"id": job.id, "status": job.status(now), "progress": job.progress(now)}


def main() -> None:
    """Read the command line and serve."""
    parser = argparse.ArgumentParser(description="Serve euro reference rates as jobs.")
    parser.add_argument("--host", default=LOOPBACK, help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="where jobs are kept")
    options = parser.parse_args()
    app = create_app(ReferenceRates.read(data_file()), JobFolder(options.folder))
    uvicorn.run(app, host=options.host, port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
