"""One look at a run: its state and its tasks'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core import states

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi


@dataclass(frozen=True)
class Look:
    """What a run was like at one moment.

    Attributes:
        run: the run as Airflow's API gives it.
        tasks: Airflow's state per task.
    """

    run: Mapping[str, Any]
    tasks: states.TaskStates

    @property
    def state(self) -> str:
        """The one state of the run (R3)."""
        return states.state_of(self.run["state"], self.tasks, self.sources)

    @property
    def sources(self) -> list[str]:
        """The sources by name, as the API gives tasks in no order."""
        prefix = states.FETCH_PREFIX
        tasks = sorted(task for task in self.tasks if task.startswith(prefix))
        return [task.removeprefix(prefix) for task in tasks]

    @property
    def in_words(self) -> str:
        """The state, and which other sources are fetched beside the one it names."""
        if not self.state.startswith("FETCHING_DATA_"):
            return self.state
        tasks = {source: self.tasks[states.fetch_task(source)] for source in self.sources}
        others = [source for source, state in tasks.items() if state not in states.FINISHED][1:]
        return f"{self.state} (also {', '.join(others)})" if others else self.state

    @property
    def is_judging(self) -> bool:
        """Whether all fetches have ended and it is not known yet if the run can go on without some.

        The state then names a source that failed long before the last one ended.
        """
        fetches = [self.tasks[states.fetch_task(source)] for source in self.sources]
        is_fetching = self.state.startswith("FETCHING_DATA_")
        return is_fetching and all(state in states.FINISHED for state in fetches)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.run["state"] in ("success", "failed")

    @property
    def is_duplicate(self) -> bool:
        """Whether the run ended at once because another one works on the same request.

        One whose time was over before `init` had ended is none.
        """
        return self.run["state"] != "failed" and states.is_duplicate(self.tasks)

    @property
    def has_published(self) -> bool:
        """Whether the run's figures are published; a run can be marked green without."""
        return self.tasks.get(states.STORE) == "success"

    @property
    def retrying(self) -> list[str]:
        """The tasks that failed and will be tried again."""
        return [task for task, state in self.tasks.items() if state == "up_for_retry"]


def look_at(api: AirflowApi, report: str, run_id: str) -> Look:
    """Look now; the run first, so that the tasks of one that is over are final."""
    run = api.run(report, run_id)
    return Look(run, api.task_states(report, run_id))
