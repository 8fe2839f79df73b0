"""`reports reconcile`: what is asked of the API, what is shown, and by which code it ends."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from reporting.cli import reconcile
from reporting.cli.guarded import guarded
from reporting.cli.main import parser
from reporting.core.airflow_api import AirflowApi, NotFoundError
from tests.unit.known_reports import KnownReports

pytestmark = pytest.mark.unit

FILE: Mapping[str, Any] = {
    "kind": "file",
    "report": "sales",
    "run_id": "manual__1",
    "what": "reports/sales/2024-05-01/manual__1/a/sales_totals.csv",
    "expected": "120 bytes",
    "found": "none",
    "rule": "decide",
    "advice": "reports clear sales manual__1 store",
}
STRAY: Mapping[str, Any] = {
    "kind": "orphaned message",
    "report": None,
    "run_id": None,
    "what": "staging/_dead_letters/a-b\x1b[2J",
    "expected": "a dead letter",
    "found": "none",
    "rule": "remove",
    "advice": "",
}


@dataclass
class Reconciling(AirflowApi):
    """An API that has found something; a repair leaves what a person decides on."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    found: list[Mapping[str, Any]] = field(default_factory=lambda: [FILE, STRAY])
    unseen: list[str] = field(default_factory=list)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        if path == "releases":
            return self.releases(query)
        self.asked.append(("GET", path, query))
        return {"differences": self.found, "unseen": self.unseen}

    def releases(self, query: Mapping[str, Any]) -> dict[str, Any]:
        """Return what readers see: two releases of today and an old one, the last that is asked."""
        assert query["is_current"]
        if query["cursor"]:
            raise AssertionError("an older page was asked for")
        old = datetime.now(UTC) - timedelta(days=40)
        days = [datetime.now(UTC), datetime.now(UTC), old]
        found = [
            {"run_id": f"manual__{number}", "published_at": day.isoformat()}
            for number, day in enumerate(days)
        ]
        return {"releases": found, "next_cursor": "more"}

    def post(self, path: str, body: Any) -> dict[str, Any]:
        self.asked.append(("POST", path, dict(body)))
        left = [one for one in self.found if one["rule"] == "decide"]
        done = [one for one in self.found if one["rule"] != "decide"]
        return {"repaired": done, "differences": left, "unseen": self.unseen}


@dataclass
class OneRun(KnownReports):
    """An Airflow with one run."""

    def run(self, report: str, run_id: str) -> dict[str, Any]:
        if (report, run_id) != ("sales", "manual__1"):
            raise NotFoundError(run_id)
        return {}

    def pages(self, path: str, items: str, **query: Any) -> Iterator[dict[str, Any]]:
        if path == "dags/~/dagRuns":
            return iter([{"dag_id": "sales", "dag_run_id": "manual__1"}])
        return super().pages(path, items, **query)


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Reconciling:
    found = Reconciling()
    monkeypatch.setattr(reconcile, "report_api_of", lambda _: found)
    monkeypatch.setattr(reconcile, "airflow_of", lambda _: OneRun())
    return found


Typed = Callable[..., tuple[int, str, str]]


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Return what types the command, and gives its exit code, its output and what it says aside."""

    def run(*words: str) -> tuple[int, str, str]:
        options = parser().parse_args(["reconcile", *words])
        code = guarded(lambda: int(options.run(options)))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_each_difference_has_a_line_and_what_to_do_is_said(api: Reconciling, typed: Typed) -> None:
    code, out, err = typed()

    assert (code, err) == (4, "")
    header, file, stray, _, *advice = out.splitlines()
    assert header.split() == ["DIFFERENCE", "REPORT", "RUN", "WHAT", "EXPECTED", "FOUND", "RULE"]
    assert file.split()[:4] == ["file", "sales", "manual__1", FILE["what"]]
    assert file.split()[4:] == ["120", "bytes", "none", "decide"]
    assert stray.startswith("orphaned message  -       -          staging/_dead_letters/a-b�[2J")
    assert advice == [
        "The janitor repairs 1 difference by its rules; at once: reports reconcile --repair",
        "To mend the others (a cleared run publishes a new version):",
        "  reports clear sales manual__1 store",
    ]
    assert api.asked == [("GET", "reconciliation", {})]


def test_what_is_looked_at_can_be_narrowed(api: Reconciling, typed: Typed) -> None:
    typed("--report", "sales", "--run", "manual__1", "--days", "30", "--grace", "0")

    asked = {"report": "sales", "run_id": "manual__1", "days": 30, "grace_minutes": 0}
    assert api.asked == [("GET", "reconciliation", asked)]


def test_a_report_that_nobody_knows_is_refused(api: Reconciling, typed: Typed) -> None:
    code, out, err = typed("--report", "slaes")

    assert (code, out, api.asked) == (2, "", [])
    assert "Report 'slaes' is unknown; allowed: airline, sales. Did you mean 'sales'?" in err


@pytest.mark.parametrize("more", [(), ("--report", "sales")])
def test_a_run_that_nobody_knows_is_refused(
    api: Reconciling, typed: Typed, more: tuple[str, ...]
) -> None:
    api.found.clear()

    code, out, err = typed("--run", "nope", *more)

    assert (code, out) == (2, "")
    assert " run 'nope'; see " in err


def test_a_run_of_which_only_something_is_left_is_looked_at(api: Reconciling, typed: Typed) -> None:
    """Airflow may have forgotten it, as after a clean-up of its database."""
    assert typed("--run", "nope")[0] == 4
    assert api.asked == [("GET", "reconciliation", {"run_id": "nope"})]


def test_where_nothing_differs_it_says_so(api: Reconciling, typed: Typed) -> None:
    api.found.clear()

    nothing = (
        "Nothing differs: the 2 releases that readers see of the last 7 days were compared, and "
        "ended runs have left nothing behind.\n"
    )
    assert typed() == (0, nothing, "")
    assert typed("--repair") == (0, nothing, "")
    assert "the 1 release that readers see of the last 7 days" in typed("--run", "manual__1")[1]
    assert "the 2 releases that readers see of the last 30 days" in typed("--days", "30")[1]
    assert json.loads(typed("--json")[1]) == {"differences": [], "unseen": []}
    assert {method for method, _, _ in api.asked} == {"GET"}


def test_what_could_not_be_looked_at_is_no_success(api: Reconciling, typed: Typed) -> None:
    api.found.clear()
    api.unseen.append("file: the store is away")

    code, out, err = typed()

    assert code == 1
    assert "in what was seen" in out
    assert err == "not looked at: file: the store is away\n"


def test_it_repairs_without_a_question_only_when_told(
    api: Reconciling, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)
    code, out, err = typed("--repair")
    assert (code, out) == (2, "")
    assert "add --yes" in err
    assert [method for method, _, _ in api.asked] == ["GET"]

    code, out, _ = typed("--repair", "--yes", "--report", "sales")

    assert code == 4  # the file is still gone
    assert out.startswith("Repaired (remove): orphaned message, ")
    assert "RULE" in out
    assert api.asked[-1] == ("POST", "reconciliation/repair", {"report": "sales"})
    api.found.remove(FILE)
    assert typed("--repair", "--yes")[0] == 0


@pytest.mark.parametrize(
    ("answer", "is_done"), [("y", True), (" YES ", True), ("", False), ("n", False)]
)
def test_who_repairs_is_shown_what_and_asked_first(
    api: Reconciling,
    typed: Typed,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    *,
    is_done: bool,
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)

    code, _, err = typed("--repair")

    assert code == 4
    assert "orphaned message" in err
    assert FILE["what"] not in err  # no rule repairs it
    assert ("POST" in {method for method, _, _ in api.asked}) is is_done
    assert ("Nothing was repaired." in err) is not is_done


def test_two_that_a_person_decides_on_are_mended_by_one_command(
    api: Reconciling, typed: Typed
) -> None:
    api.found[:] = [FILE, {**FILE, "kind": "published rows"}]
    assert "\nTo mend them (a cleared run" in typed()[1]
    api.found[:] = [{**FILE, "advice": "reports dead-letters discard 1"}]
    assert "\nTo mend it:\n  reports dead-letters discard 1\n" in typed()[1]


def test_nobody_is_asked_where_no_rule_repairs_anything(api: Reconciling, typed: Typed) -> None:
    api.found.remove(STRAY)

    code, out, err = typed("--repair")

    assert (code, err) == (4, "")
    assert "at once" not in out
    assert "\nTo mend it (a cleared run publishes a new version):\n  reports clear" in out
    assert "others" not in out
    assert {method for method, _, _ in api.asked} == {"GET"}
