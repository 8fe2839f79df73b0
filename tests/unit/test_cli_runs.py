"""The last runs of one report on the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from reporting.cli import list_runs
from reporting.cli.guarded import guarded
from reporting.cli.main import parser
from reporting.cli.run_line import read_runs
from tests.unit.known_reports import KnownReports

pytestmark = pytest.mark.unit

BACKFILL = {
    "dag_run_id": "backfill__2013-05-02T10:00:00+00:00",
    "state": "success",
    "conf": {},
    "start_date": "2026-01-31T06:00:00+00:00",
    "end_date": "2026-01-31T06:00:07.5+00:00",
}
WAITING = {"dag_run_id": "manual__1", "state": "queued", "conf": {"period": "2013-05-03"}}


@dataclass
class Runs(KnownReports):
    """An Airflow with runs, the newest first as it was asked to sort them."""

    found: list[dict[str, Any]] = field(default_factory=lambda: [BACKFILL, WAITING])
    asked: list[dict[str, Any]] = field(default_factory=list)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        if path != "dags/sales/dagRuns":
            return super().get(path)
        self.asked.append(query)
        return {"dag_runs": self.found}

    def task_states(self, report: str, run_id: str) -> dict[str, str | None]:  # noqa: ARG002
        return {"store": "success"} if run_id.startswith("backfill") else {}

    def xcom(self, report: str, run_id: str, task: str, key: str = "") -> Any:  # noqa: ARG002
        return {"period": "2013-05-01"}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Runs:
    found = Runs()
    monkeypatch.setattr(list_runs, "airflow_of", lambda _: found)
    return found


def typed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    options = parser().parse_args(["runs", *words])
    code = guarded(lambda: int(options.run(options)))
    said = capsys.readouterr()
    return code, said.out, said.err


def test_each_run_has_a_line_with_its_own_period(
    api: Runs, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = typed(capsys, "sales", "--limit", "2")

    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "STATE    PERIOD      RUN ID                               STARTED                  TOOK",
        "SUCCESS  2013-05-01  backfill__2013-05-02T10:00:00+00:00  2026-01-31 06:00:00 UTC  7.5 s",
        "INIT     2013-05-03  manual__1                            -                        -",
    ]
    assert api.asked == [{"limit": 2, "order_by": "-id"}]


def test_for_a_program(api: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    first, _ = json.loads(typed(capsys, "sales", "--json")[1])["runs"]

    assert (first["state"], first["period"]) == ("SUCCESS", "2013-05-01")
    assert first["ended"] == BACKFILL["end_date"]
    assert [run.run_id for run in read_runs(api, "sales", 5)] == [
        BACKFILL["dag_run_id"],
        "manual__1",
    ]


def test_a_report_that_never_ran(api: Runs, capsys: pytest.CaptureFixture[str]) -> None:
    api.found.clear()

    assert typed(capsys, "sales") == (0, "Report 'sales' never ran.\n", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["slaes"], "Report 'slaes' is unknown"),
        (["sales", "--limit", "0"], "--limit is 0; allowed: 1 to 100."),
    ],
)
def test_what_cannot_be_is_refused(
    api: Runs, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    code, out, err = typed(capsys, *words)

    assert (code, out, api.asked) == (2, "", [])
    assert said in err
