"""Any report: its figures must be those of a run for the same period that nothing is done to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from tests.e2e.live import eventually
from tests.faults.ground import Ground
from tests.faults.operating import Operator
from tests.faults.plan import Plan
from tests.faults.published import seen
from tests.faults.subject import Figures, Subject
from tests.faults.trial import Trial

PATIENCE_SECONDS = 600.0


def deployed(report: str, first: date, days: int) -> Trial:
    """Return the trial of a report in `dags/`.

    Args:
        report: its name.
        first: the first day to run it for.
        days: how many days there are, one for each run.
    """

    def subjects(ground: Ground) -> Sequence[Subject]:
        tasks = ground.live().api.get(f"dags/{report}/tasks")["tasks"]
        fetches = [task["task_id"] for task in tasks if task["task_id"].startswith("fetch_")]
        return [Subject(report, dict.fromkeys(fetches, ""), first, days)]

    return Trial([report], subjects, _figures_of_a_run)


def _figures_of_a_run(ground: Ground, plan: Plan) -> Figures:
    live, case = ground.live(), plan.case
    run_id = f"{plan.run_id}_before"
    Operator(live.api, case, run_id).start(run_id, refresh=True)
    eventually(
        f"the run of {case.report} for {case.period} that nothing is done to",
        lambda: live.api.run(case.report, run_id)["state"] in ("success", "failed"),
        PATIENCE_SECONDS,
    )
    now = seen(live.warehouse, case.report, case.period)
    if not now.figures or now.lacks_sources:
        raise LookupError(
            f"{case.report} publishes nothing whole for {case.period}; choose other days"
        )
    return now.figures
