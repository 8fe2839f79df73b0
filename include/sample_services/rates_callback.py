"""Tells whoever ordered a job that it is done, until the address takes it."""

import asyncio
import time

import httpx

from sample_services.rates_jobs import DONE, Job, JobFolder

PATIENCE_SECONDS = 600.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 15.0
TIMEOUT_SECONDS = 10.0


class Caller:
    """Calls back for jobs, each in a task of its own."""

    def __init__(self, jobs: JobFolder) -> None:
        """Note in `jobs` what was taken."""
        self._jobs = jobs
        self._calls: set[asyncio.Task[None]] = set()

    def start(self, job: Job) -> None:
        """Call back when the job is done."""
        call = asyncio.create_task(self._call(job))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    def start_untold(self) -> None:
        """Call back for all that an earlier life of the service has left."""
        for job in self._jobs.untold():
            self.start(job)

    async def stop(self) -> None:
        """End all calls; the next life of the service goes on with them."""
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)

    async def _call(self, job: Job) -> None:
        await asyncio.sleep(max(job.done_at - time.time(), 0))
        pause = FIRST_PAUSE
        while time.time() < job.done_at + PATIENCE_SECONDS:
            current = self._jobs.find(job.id)
            if current is None or current.is_cancelled or current.is_told:
                return
            if await _is_taken(job):
                # Read again: it may have been cancelled during the call.
                self._jobs.note_told(self._jobs.find(job.id) or current)
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)


async def _is_taken(job: Job) -> bool:
    """Say once that the job is done; any answer of 2xx means that it was heard."""
    try:
        # A proxy of the shell must not come between.
        async with httpx.AsyncClient(trust_env=False, timeout=TIMEOUT_SECONDS) as client:
            answer = await client.post(str(job.callback_url), json={"id": job.id, "status": DONE})
    except httpx.HTTPError:
        return False
    return answer.is_success
