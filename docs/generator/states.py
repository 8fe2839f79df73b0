"""The page of the states of a run, by asking the code what it calls each situation."""

from __future__ import annotations

from docs.generator.markdown import code, page, table

from reporting.core.states import state_of

SOURCES = ("flights", "weather")
TASKS = (
    "init", "fetch_flights", "fetch_weather", "await_sources", "compute", "store", "deliver",
    "compensate",
)  # fmt: skip
# What happens, Airflow's state of the run, and how many tasks have ended well before it.
GOOD = (
    ("asked for, nothing done yet; `init` checks the params and takes the claim", "running", 0),
    ("the first source is fetched", "running", 1),
    ("the second source is fetched, the first is complete", "running", 2),
    ("all sources are complete", "running", 4),
    ("`compute` runs", "running", 4),
    ("the result is there, `store` writes files and publishes", "running", 5),
    ("published; the files are being delivered", "running", 6),
    ("all done", "success", 8),
)
BAD: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("a step failed for good; `compensate` cleans up", "running", {"compute": "failed"}),
    ("a step waits for its next try", "running", {"compute": "up_for_retry"}),
    ("the failed run is over", "failed", {"compute": "failed"}),
    ("a person marked the run failed", "failed", {}),
)


def states() -> str:
    """Return the page."""
    head = ["state", "what happens"]
    return page(
        "States",
        "This page lists the states of a run, as `reports status` and `reports list` show them.",
        "A state is read off the states of the tasks each time it is asked for. It is stored "
        "nowhere. The examples have the two sources `flights` and `weather`.",
        "## The good way",
        table(head, [_good(*line) for line in GOOD]),
        "While several sources are fetched at once, the state names one of them. `reports` adds "
        "the others in brackets.",
        "## When something goes wrong",
        table(head, [_bad(*line) for line in BAD]),
        "A run that was asked for what another run works on already ends at once. Airflow shows "
        "it green, its tasks are skipped, and `reports status` says `Duplicate of`.",
    )


def _good(words: str, run: str, done: int) -> list[str]:
    tasks: dict[str, str | None] = dict.fromkeys(TASKS[:done], "success")
    if words == "`compute` runs":
        tasks["compute"] = "running"
    return [code(state_of(run, tasks, SOURCES)), words]


def _bad(words: str, run: str, said: dict[str, str]) -> list[str]:
    tasks: dict[str, str | None] = dict.fromkeys(TASKS[:4], "success")
    return [code(state_of(run, tasks | said, SOURCES)), words]
