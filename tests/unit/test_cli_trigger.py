"""`reports trigger`: what is refused before a run is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from reporting.cli import trigger
from reporting.cli.guarded import guarded
from reporting.cli.main import parser
from reporting.core.airflow_api import AirflowApi, NotFoundError
from reporting.definition.daily import Daily
from reporting.definition.monthly import Monthly
from reporting.definition.schedule import Schedule
from reporting.errors import ReportError, TerminalError, TransientError

pytestmark = pytest.mark.unit

ABSENT = (
    TerminalError("that Airflow lacks the plugin of the reports"),
    NotFoundError("404"),
    TransientError("503"),
)
Typed = Callable[..., tuple[int, str, str]]


def described(schedule: Schedule) -> dict[str, Any]:
    found = {"unit": schedule.unit, "at": schedule.at, "timezone": schedule.timezone, "day": 1}
    return {"schedule": found}


@dataclass
class OneReport(AirflowApi):
    """An Airflow with one report; its center tells the definition, or is not there."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    root: str = "/api/v2"
    told: dict[str, Any] | ReportError = field(default_factory=dict)
    period: dict[str, Any] = field(
        default_factory=lambda: Daily("06:00", "UTC").period_param.schema
    )
    conf: list[Any] = field(default_factory=list)

    def get(self, path: str, **_: Any) -> dict[str, Any]:
        if self.root == "/reports/api":
            assert path == "reports/sales"
            if isinstance(self.told, ReportError):
                raise self.told
            return {"definition": self.told}
        assert path == "dags/sales/details"
        params = {"period": {"schema": self.period}}
        return {"dag_id": "sales", "tags": [{"name": "report"}], "is_stale": False,
                "is_paused": False, "params": params}  # fmt: skip

    def trigger(self, report: str, conf: Any) -> dict[str, Any]:
        self.conf.append(conf)
        return {"dag_run_id": f"manual__{report}"}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> OneReport:
    found = OneReport(told=described(Daily("06:00", "America/New_York")))
    monkeypatch.setattr(trigger, "airflow_of", lambda _: found)
    return found


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Return what types the command, and gives its exit code, its output and what it says aside."""

    def run(*words: str) -> tuple[int, str, str]:
        options = parser().parse_args(["trigger", "sales", *words])
        code = guarded(lambda: int(options.run(options)))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_period_that_is_not_over_makes_no_run(api: OneReport, typed: Typed) -> None:
    code, out, err = typed("--period", "9998-01-01")

    assert (code, out, api.conf) == (2, "", [])
    assert err == (
        "refused: Period '9998-01-01' is a day that ends at 9998-01-02T05:00:00+00:00; allowed: "
        "a day that is over, so that its figures are complete.\n"
    )


def test_so_does_a_month(api: OneReport, typed: Typed) -> None:
    monthly = Monthly("06:00", "Europe/Berlin")
    api.told, api.period = described(monthly), monthly.period_param.schema

    assert "allowed: a month that is over" in typed("--period", "9998-01")[2]
    assert typed("--period", "2013-01")[0] == 0
    assert api.conf == [{"period": "2013-01"}]


@pytest.mark.parametrize("words", [("--period", "2013-07-04"), ()])
def test_one_that_is_over_makes_a_run(api: OneReport, typed: Typed, words: tuple[str, ...]) -> None:
    assert typed(*words)[0] == 0
    assert api.conf == [{"period": words[1]} if words else {}]


@pytest.mark.parametrize("told", [*ABSENT, {}])
def test_where_nobody_tells_the_definition_the_run_decides(
    api: OneReport, typed: Typed, told: ReportError | dict[str, Any]
) -> None:
    api.told = told

    assert typed("--period", "9998-01-01")[0] == 0
    assert api.conf == [{"period": "9998-01-01"}]
