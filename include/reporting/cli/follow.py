"""Follows a run to its end, or a duplicate to the run that does the work."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reporting.cli.look import Look, look_at
from reporting.core.airflow_names import DUPLICATE_OF, FAILURE, PUBLISHED_ALREADY
from reporting.core.states import DELIVER, INIT
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.cli.progress import Progress
    from reporting.core.airflow_api import AirflowApi

POLL_SECONDS = 0.5  # short, so that a quick step is seen, too
PUBLISHED = "SUCCESS (published)"
PATIENCE_SECONDS = 180  # an api-server that is started anew must not end the wait


@dataclass(frozen=True)
class Follower:
    """Looks at a run until it is over.

    Attributes:
        api: Airflow.
        progress: takes what changes.
        sleep: waits between two looks.
    """

    api: AirflowApi
    progress: Progress
    sleep: Callable[[float], None] = time.sleep

    def follow(self, report: str, run_id: str) -> str:
        """Return the id of the run that did the work, once that is over.

        A duplicate of what was published before is returned itself: the other run may be gone.
        """
        while True:
            last = self._to_end(report, run_id)
            if not last.is_duplicate:
                return run_id
            other = self.api.xcom(report, run_id, INIT, DUPLICATE_OF)
            if other is None or self.api.xcom(report, run_id, INIT, PUBLISHED_ALREADY):
                return run_id
            self.progress.say(
                f"           run {other} works on the same period and params already;"
            )
            self.progress.say("           nothing is done twice, so that one is followed now")
            run_id = str(other)

    def _to_end(self, report: str, run_id: str) -> Look:
        has_told = False
        while True:
            now, words = self._look(report, run_id)
            if now.is_over:
                self.progress.tell(end_words(now, has_told_success=has_told))
                return now
            self.progress.tell(words)
            has_told = has_told or now.has_published
            self.sleep(POLL_SECONDS)

    def _look(self, report: str, run_id: str) -> tuple[Look, str]:
        since = self.progress.elapsed
        while True:
            try:
                now = look_at(self.api, report, run_id)
                return now, self._in_words(now, report, run_id)
            except TransientError:
                if self.progress.elapsed - since > PATIENCE_SECONDS:
                    raise
                self.progress.tell("Airflow does not answer; the run goes on, asking again")
                self.sleep(POLL_SECONDS)

    def _in_words(self, now: Look, report: str, run_id: str) -> str:
        if now.has_published:
            return PUBLISHED
        if now.is_judging:
            return "the fetches have ended; looking whether the sources are complete"
        reasons = [
            f"{task} will be tried again: {self.api.xcom(report, run_id, task, FAILURE) or '?'}"
            for task in now.retrying
        ]
        return "; ".join([now.in_words, *reasons])


def end_words(now: Look, *, has_told_success: bool) -> str:
    """Return the last line: what has come since the one before."""
    if now.is_duplicate:
        return f"{now.state} (a duplicate)"
    if now.state != "SUCCESS":
        return now.state
    if not now.has_published:
        return "SUCCESS (nothing was published)"
    ended = "delivered, run ended" if now.tasks.get(DELIVER) == "success" else "run ended"
    return ended if has_told_success else f"{PUBLISHED}; {ended}"
