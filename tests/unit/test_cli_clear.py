"""Clearing: what is said, what is refused, and what Airflow is asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from reporting.cli import clear
from reporting.cli.main import parser
from reporting.core.airflow_api import AirflowApi, NotFoundError
from reporting.errors import InputError

pytestmark = pytest.mark.unit

RUN = "manual__2026-01-31T06:00:00+00:00"
SCHEDULED = "Daily at 06:00 UTC, on the local day before."
TASKS = {"init": "success", "fetch_a": "failed", "await_sources": "failed", "compute": None}


@dataclass
class OneRun(AirflowApi):
    """An Airflow with one run."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    is_paused: bool = False
    documented: str | None = SCHEDULED
    tasks: dict[str, str | None] = field(default_factory=lambda: dict(TASKS))
    sent: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def get(self, path: str, **query: Any) -> dict[str, Any]:  # noqa: ARG002
        if path == "dags/airline/details":
            return {"dag_id": "airline", "tags": [{"name": "report"}], "is_stale": False,
                    "is_paused": self.is_paused, "doc_md": self.documented}  # fmt: skip
        raise NotFoundError(path)

    def run(self, report: str, run_id: str) -> dict[str, Any]:
        if run_id != RUN:
            raise NotFoundError(report)
        return {"state": "failed"}

    def task_states(self, report: str, run_id: str) -> dict[str, str | None]:  # noqa: ARG002
        return self.tasks

    def post(self, path: str, body: Any) -> dict[str, Any]:
        self.sent.append((path, body))
        later = list(self.tasks)[1:] if body["include_downstream"] else body["task_ids"]
        found = [{"task_id": task, "state": self.tasks[task]} for task in reversed(later)]
        return {"task_instances": found, "total_entries": len(found)}

    def patch(self, path: str, body: Any) -> dict[str, Any]:
        self.sent.append((path, body))
        return {}


def cleared(monkeypatch: pytest.MonkeyPatch, api: OneRun, *words: str, run: str = RUN) -> int:
    monkeypatch.setattr(clear, "airflow_of", lambda _: api)
    return clear.run(parser().parse_args(["clear", "airline", run, *words]))


def test_it_says_what_will_be_cleared_and_clears_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = OneRun()
    assert cleared(monkeypatch, api, "fetch_a") == 0
    said = capsys.readouterr().out.splitlines()
    assert said == [
        "Clearing fetch_a, await_sources, compute",
        f"Look at it: reports status {RUN} --report airline",
    ]
    assert [body["dry_run"] for _, body in api.sent] == [True, False]
    path, body = api.sent[1]
    assert path == "dags/airline/clearTaskInstances"
    assert (body["dag_run_id"], body["task_ids"], body["only_failed"]) == (RUN, ["fetch_a"], False)


def test_only_leaves_the_tasks_that_come_after(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cleared(monkeypatch, OneRun(), "fetch_a", "--only")
    assert "Clearing fetch_a\n" in capsys.readouterr().out


def test_a_dry_run_clears_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    api = OneRun()
    assert cleared(monkeypatch, api, "fetch_a", "--dry-run") == 0
    assert capsys.readouterr().out == "Would clear fetch_a, await_sources, compute\n"
    assert [body["dry_run"] for _, body in api.sent] == [True]


@pytest.mark.parametrize(
    ("api", "words", "run", "message"),
    [
        (OneRun(), ["fetch_b", "stor"], RUN, "'fetch_b' is unknown.*'fetch_a'.*'stor' is unknown"),
        (OneRun(), ["fetch_a"], "manual__0", "no run 'manual__0'"),
        (OneRun(tasks=TASKS | {"compute": "running"}), ["fetch_a"], RUN, "compute runs now"),
        (OneRun(is_paused=True), ["fetch_a"], RUN, "is paused.*--unpause"),
    ],
)
def test_what_would_do_harm_or_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, api: OneRun, words: list[str], run: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        cleared(monkeypatch, api, *words, run=run)
    assert all(body["dry_run"] for _, body in api.sent)


SECOND = {"init": "success", "fetch_a": "success", "fetch_b": "failed"}
LATE = {"await_sources": "failed", "compute": "upstream_failed", "store": "upstream_failed"}
BROKEN: dict[str, str | None] = {
    **SECOND,
    **LATE,
    "deliver": "upstream_failed",
    "compensate": "success",
}
NOT_YET = {"await_sources": None}
STARTED = {"optional": ["b"]}


@pytest.mark.parametrize(
    ("tasks", "words", "told"),
    [
        (BROKEN, ["compute", "--only"], r"compute needs fetch_b \(failed\).*airline .* fetch_b$"),
        (BROKEN, ["await_sources", "--only"], r"await_sources needs fetch_b \(failed\)"),
        (BROKEN, ["deliver", "--only"], r"deliver needs fetch_b \(failed\)"),
        (BROKEN | {"fetch_b": "skipped"}, ["store", "--only"], r"needs fetch_b \(skipped\)"),
        (BROKEN | NOT_YET | {"fetch_b": None}, ["compute", "--only"], None),
        (BROKEN, ["await_sources", "fetch_b", "--only"], None),
        (BROKEN | NOT_YET | {"fetch_b": "running"}, ["compute", "--only"], None),
        (BROKEN | NOT_YET, ["compute", "--only"], r"compute needs fetch_b \(failed\)"),
        (BROKEN | {"init": "failed"}, ["fetch_b", "--only"], r"fetch_b needs init \(failed\)"),
        (BROKEN | {"await_sources": "success"}, ["compute", "--only"], None),
        (BROKEN, ["compensate", "--only"], None),
        (BROKEN, ["init"], None),
    ],
)
def test_what_would_fail_at_once_is_refused_with_what_to_clear(
    monkeypatch: pytest.MonkeyPatch,
    tasks: dict[str, str | None],
    words: list[str],
    told: str | None,
) -> None:
    api = OneRun(tasks=tasks)
    if told is None:
        assert cleared(monkeypatch, api, *words) == 0
        return
    with pytest.raises(InputError, match=told):
        cleared(monkeypatch, api, *words)
    assert all(body["dry_run"] for _, body in api.sent)


def test_a_lost_source_that_is_optional_keeps_nobody_from_going_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = OneRun(tasks=BROKEN | {"await_sources": "failed"})
    monkeypatch.setattr(api, "xcom", lambda *_: STARTED)

    assert cleared(monkeypatch, api, "await_sources", "--only") == 0


def test_a_paused_report_is_unpaused_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    api = OneRun(is_paused=True)
    assert cleared(monkeypatch, api, "fetch_a", "--unpause") == 0
    assert ("dags/airline", {"is_paused": False}) in api.sent


EVENT = "On the event `loaded`, told by its Airflow asset."


@pytest.mark.parametrize(
    ("documented", "said", "asked"),
    [
        (f"# A\n\n{SCHEDULED}\n", "it runs daily at 06:00 UTC, too.", "run daily at 06:00 UTC"),
        (f"# A\n\n{EVENT}\n", "it runs when event loaded arrives, too.", "run when event loaded"),
        ("# A\n\nOnly when somebody triggers it.\n", "it runs only when somebody", "--unpause, or"),
        (None, "Unpaused airline.", "--unpause, or"),
    ],
)
def test_who_unpauses_is_told_what_else_starts_it(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    documented: str | None,
    said: str,
    asked: str,
) -> None:
    api = OneRun(is_paused=True, documented=documented)
    with pytest.raises(InputError, match=asked):
        cleared(monkeypatch, api, "fetch_a")
    cleared(monkeypatch, api, "fetch_a", "--unpause")
    assert said in capsys.readouterr().out
