"""The demo's own logic: the stack's environment, totals, and what it says of a version."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from embedded_stack.__main__ import _parser as stack_parser
from reporting.cli.run_view import RunView
from reporting.cli.verdict import in_undo_order
from reporting.core.warehouse.ledger import Entry
from reporting.core.warehouse.release import Release
from reporting.errors import InputError, IntegrityError
from sample_services.demo import __main__ as demo
from sample_services.demo.__main__ import main as demo_main
from sample_services.demo.__main__ import parser as demo_parser
from sample_services.demo.aftermath import Aftermath, Alert, aftermath_lines
from sample_services.demo.closing_text import Published, headline, next_lines, place_lines
from sample_services.demo.downloads import download
from sample_services.demo.figures import CarrierDay, figure_lines, total_of
from sample_services.demo.sample_day import another_day, demand_sample_day
from sample_services.demo.stack_home import CHECKOUT, StackHome, exported, load_environment

if TYPE_CHECKING:
    from reporting.core.objects import Bucket

pytestmark = pytest.mark.unit

FLEW = CarrierDay("UA", "United", 10, 2, 1, 10.0, 3, 20.0, 7, 0.5)
GROUNDED = CarrierDay("YV", None, 2, 2, 0, None, 0, None, 0, None)
VIEW = RunView(
    report="airline_on_time", title="Airline", run_id="manual__1", url="http://a/runs/1",
    state="SUCCESS", is_over=True, period="2013-07-04", params={}, by="ann", started=None,
    seconds=None, tasks=(), duplicate_of=None,
)  # fmt: skip


class TwoFiles:
    """A bucket that holds a CSV and an XLSX file."""

    name = "reports"

    def get(self, key: str) -> bytes | None:
        return b"carrier\r\n" if key.startswith("r/a.") else None


def release(version: int, missing: dict[str, str] | None = None) -> Release:
    return Release(7, version, {"carrier_day": 1}, ("r/a.csv",), missing or {}, {})


def published() -> Published:
    warehouse = {"schema": "warehouse", "host": "127.0.0.1", "port": 15432, "password": "s3cr3t"}
    return Published(release(1), warehouse, "reports", "http://s3", [Path("var/out/a.csv")])


def test_environment_file_is_read_as_a_shell_would() -> None:
    text = "# comment\nexport A='x y'\nexport B={\\\"k\\\":1}\nC=3\n\nexport D='it'\"'\"'s'\n"
    assert exported(text) == {"A": "x y", "B": '{"k":1}', "D": "it's"}


def test_environment_of_the_stack_wins(tmp_path: Path) -> None:
    (tmp_path / "stack.env").write_text("export AIRFLOW_CONN_AIRFLOW_API=stack\n")
    environ = {"REPORTS_HOME": str(tmp_path), "AIRFLOW_CONN_AIRFLOW_API": "elsewhere"}
    assert load_environment(environ) == StackHome(tmp_path)
    assert environ["AIRFLOW_CONN_AIRFLOW_API"] == "stack"


def test_environment_stays_as_it_is_without_a_stack(tmp_path: Path) -> None:
    environ = {"REPORTS_HOME": str(tmp_path), "A": "1"}
    load_environment(environ)
    assert environ == {"REPORTS_HOME": str(tmp_path), "A": "1"}


def test_totals_weigh_each_flight_the_same() -> None:
    other = CarrierDay("AA", "American", 2, 0, 0, 1.0, 0, 2.0, 1, 1.0)
    total = total_of([FLEW, other, GROUNDED])
    assert (total.flights, total.cancelled, total.diverted, total.arrivals) == (14, 4, 1, 8)
    assert total.mean_departure_delay == pytest.approx((10.0 * 8 + 1.0 * 2) / 10)
    assert total.mean_arrival_delay == pytest.approx((20.0 * 7 + 2.0) / 8)
    assert total.punctual_arrival_share == pytest.approx((0.5 * 7 + 1.0) / 8)


def test_a_day_on_which_nobody_flew_has_no_means() -> None:
    lines = figure_lines([GROUNDED])
    assert lines[1].split() == ["YV", "-", "2", "2", "0", "-", "0", "-", "0", "-"]
    assert len(set(map(len, lines))) == 1


def test_headline_says_what_readers_see() -> None:
    assert "version 1 is published, the first" in headline(VIEW, release(1), 7)
    assert "instead of version 2, which is kept" in headline(VIEW, release(3), 7)
    assert "readers see release 9, published since" in headline(VIEW, release(3), 9)


def test_headline_of_an_incomplete_report_says_so_and_why() -> None:
    first, why = headline(VIEW, release(1, {"weather": "away"}), 7).splitlines()
    assert "version 1 is published INCOMPLETE, without weather, the first" in first
    assert why == "  weather: away"


def test_places_name_views_files_and_copies_and_no_password() -> None:
    home = StackHome(Path("var"))
    lines = place_lines(VIEW, published(), home) + next_lines(VIEW, "http://a", "ann", home)
    text = "\n".join(lines)
    for part in ("carrier_day__by_params", "carrier_day__releases", "r/a.csv", "var/out/a.csv",
                 "in bucket reports of the store at http://s3:",
                 ".venv/bin/python -m embedded_stack login)"):  # fmt: skip
        assert part in text
    assert "s3cr3t" not in text


def test_the_query_that_is_shown_can_be_pasted() -> None:
    home = StackHome(Path("a b"))
    line = next(line for line in place_lines(VIEW, published(), home) if "psql" in line)
    options = stack_parser().parse_args(shlex.split(line)[3:])
    assert (options.command, options.home) == ("psql", Path("a b"))
    (query,) = options.words
    assert query.endswith("airline_on_time__carrier_day WHERE period = '2013-07-04'")


@pytest.mark.parametrize(
    "day", ["2013-02-30", "2027-01-01", "2012-12-31", "20130101", "tomorrow", "", "0000-01-01"]
)
def test_a_day_without_data_is_refused_before_anything_is_asked(
    day: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("REPORTS_HOME", str(tmp_path))
    assert demo_main(["--period", day]) == 2
    assert "flights are of 2013; allowed: a day from 2013-01-01 to" in capsys.readouterr().err


def test_a_day_of_the_sample_is_taken() -> None:
    demand_sample_day("2013-12-31")
    with pytest.raises(InputError):
        demand_sample_day("2014-01-01")


@pytest.mark.parametrize("day", ["2013-02-08", "2013-07-04", "2013-01-01", None])
def test_another_day_is_not_the_one_just_shown(day: str | None) -> None:
    assert another_day(day)[0] != day
    demand_sample_day(another_day(day)[0])


def test_the_usual_day_is_that_of_make_demo() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    assert f"PERIOD ?= {demo_parser().parse_args([]).period}\n" in makefile


def test_undone_steps_stand_as_in_the_alert() -> None:
    entries = [Entry(step, "", is_done=True) for step in ("init", "fetch", "store")]
    assert [entry.step for entry in in_undo_order(entries)] == ["store", "fetch", "init"]


def test_a_failure_is_told_even_when_the_warehouse_is_away() -> None:
    failed = replace(VIEW, state="FAILED")
    found = Aftermath([Entry("init", "1 claims given up", is_done=True)], [], "no warehouse")
    text = "\n".join(aftermath_lines(failed, found, StackHome(Path("var"))))
    for part in ("Step: none", "init: 1 claims given up", "  no warehouse", "run_id=manual__1"):
        assert part in text


def test_alerts_say_where_they_are_kept() -> None:
    alerts = [
        Alert("email", "a@example.com", is_sent=True, error=None),
        Alert("slack", "slack_default", is_sent=False, error="ConnectionError"),
    ]
    lines = aftermath_lines(VIEW, Aftermath([], alerts), StackHome(Path("var")))
    assert "  email to a@example.com: sent, kept in var/mail" in lines
    assert "  slack to slack_default: ConnectionError" in lines


class Hearing:
    """An Airflow that hears what is triggered."""

    base_url = "http://a"

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def trigger(self, _report: str, conf: dict[str, Any]) -> dict[str, str]:
        self.asked.append(conf)
        return {"dag_run_id": "manual__1"}


def test_who_runs_the_demo_again_sees_it_run_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    airflow = Hearing()
    monkeypatch.setattr(demo, "airflow_of", lambda _: airflow)
    monkeypatch.setattr(demo, "wait_until_known", lambda *_: {"is_paused": False})
    monkeypatch.setattr(demo, "followed", lambda *_: VIEW)
    monkeypatch.setattr(demo, "show", lambda *_: None)
    options = demo_parser().parse_args(["--period", "2013-07-04"])

    for _ in range(2):
        demo.demo(options, StackHome(tmp_path))
    assert airflow.asked == [{"period": "2013-07-04", "refresh": True}] * 2


def test_copies_are_whole_files(tmp_path: Path) -> None:
    bucket: Bucket = TwoFiles()  # type: ignore[assignment]
    names = ["a.csv", "a.xlsx"]
    assert download(bucket, ["r/a.csv", "r/a.xlsx"], tmp_path) == [tmp_path / n for n in names]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    with pytest.raises(IntegrityError, match=r"lacks r/b\.csv"):
        download(bucket, ["r/b.csv"], tmp_path)
