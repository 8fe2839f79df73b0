"""Rolling back and withdrawing on the command line: what is asked, and what is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from reporting.cli import list_versions, versions
from reporting.cli.guarded import guarded
from reporting.cli.main import parser
from reporting.core.airflow_api import AirflowApi, ConflictError
from tests.unit.known_reports import KnownReports

pytestmark = pytest.mark.unit

DAY = "2013-07-04"
Typed = Callable[..., tuple[int, str, str]]


def release(number: int, version: int, **changes: Any) -> dict[str, Any]:
    known = {
        "release_id": number, "version": version, "is_default": True, "is_current": False,
        "period": DAY, "published_at": "2026-01-31T06:00:00.5+00:00",
        "row_counts": {"totals": 1234}, "missing": {}, "set_aside": {},
        "run_id": f"manual__{version}",
    }  # fmt: skip
    return {**known, **changes}


@dataclass
class Releases(AirflowApi):
    """An API with two pages of releases; a special cut of the period is among them."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    is_withdrawn: bool = False
    sent: list[tuple[str, Any]] = field(default_factory=list)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        assert path == "releases"
        if query["report"] != "sales" or query["period"] not in (None, DAY):
            return {"releases": [], "next_cursor": None}
        if query["cursor"]:
            first = {"missing": {"weather": "away"}, "set_aside": {"orders": 1}}
            return {"releases": [release(5, 1, **first)], "next_cursor": None}
        now = [release(9, 2, is_current=not self.is_withdrawn)]
        cut = [release(11, 7, is_default=False, is_current=True)]
        return {"releases": [*cut, *now], "next_cursor": "more"}

    def post(self, path: str, body: Any) -> dict[str, Any]:
        self.sent.append((path, body))
        if self.is_withdrawn and path.endswith("5/roll-back"):
            raise ConflictError("What readers see was changed meanwhile.")
        return {}


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Releases:
    found = Releases()
    for module in (versions, list_versions):
        monkeypatch.setattr(module, "report_api_of", lambda _: found)
    monkeypatch.setattr(list_versions, "airflow_of", lambda _: KnownReports())
    return found


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    """Return what types a command, and gives its exit code, its output and what it says aside."""

    def run(*words: str) -> tuple[int, str, str]:
        options = parser().parse_args(list(words))
        code = guarded(lambda: int(options.run(options)))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_version_is_rolled_back_to(api: Releases, typed: Typed) -> None:
    code, out, _ = typed("roll-back", "sales", DAY, "--to", "1", "--yes")
    assert (code, out) == (0, f"Version 1 of sales, period {DAY}, is what readers see.\n")
    assert api.sent == [("releases/5/roll-back", {"seen": 9})]


def test_what_readers_see_is_withdrawn(api: Releases, typed: Typed) -> None:
    code, out, _ = typed("withdraw", "sales", DAY, "--yes")
    assert (code, out) == (0, f"Version 2 of sales, period {DAY}, is withdrawn.\n")
    assert api.sent == [("releases/9/withdraw", {"seen": 9})]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("roll-back", "sales", DAY, "--to", "3"),
            f"Version 3 is unknown; allowed: 1, 2. See all: reports versions sales --period {DAY}",
        ),
        (
            ("roll-back", "sales", DAY, "--to", "2", "--yes"),
            "Version 2 is what readers see already; allowed: 1. See all: reports versions",
        ),
        (("roll-back", "sales", "2013-07-99", "--to", "1"), "'2013-07-99' is no day and no month"),
        (("withdraw", "sales", "20130704"), "Period '20130704' is no day and no month"),
        (("roll-back", "sales", DAY, "--to", "7"), "Version 7 is unknown"),
        (("withdraw", "costs", DAY), "See what is: reports versions costs\n"),
        (("withdraw", "sales", DAY), "can ask nobody here; add --yes"),
    ],
)
def test_what_is_not_allowed_is_refused(
    api: Releases, typed: Typed, words: tuple[str, ...], told: str
) -> None:
    code, _, aside = typed(*words)
    assert code == 2
    assert told in aside
    assert api.sent == []


def test_what_is_withdrawn_can_be_shown_again_but_not_withdrawn(
    api: Releases, typed: Typed
) -> None:
    api.is_withdrawn = True
    code, _, aside = typed("withdraw", "sales", DAY, "--yes")
    assert (code, f"versions sales --period {DAY}" in aside) == (2, True)
    assert typed("roll-back", "sales", DAY, "--to", "2", "--yes")[0] == 0
    assert api.sent == [("releases/9/roll-back", {"seen": 0})]
    code, _, aside = typed("roll-back", "sales", DAY, "--to", "1", "--yes")
    assert (code, "changed meanwhile" in aside) == (2, True)


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("yes", True), ("", False)])
def test_it_says_what_will_be_and_asks(
    api: Releases,
    typed: Typed,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    is_done: bool,
) -> None:
    asked: list[str] = []

    def answered(text: str) -> str:
        asked.append(text)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", answered)
    code, out, _ = typed("roll-back", "sales", DAY, "--to", "1")
    assert asked == [
        f"Version 1 of sales, period {DAY}: readers will see it instead of version 2. Go on? [y/N] "
    ]
    assert bool(api.sent) == is_done
    assert (code, "Nothing was changed." in out) == ((0, False) if is_done else (1, True))


@pytest.mark.usefixtures("api")
def test_each_version_has_a_line(typed: Typed) -> None:
    """Of figures with default params: a command names a version by its period and number."""
    code, out, aside = typed("versions", "sales")

    assert code == 0
    head, now, before = out.splitlines()
    assert head.split("  ")[0] == "PERIOD"
    assert re.split("  +", now) == [
        DAY, "2", "yes", "2026-01-31 06:00:00 UTC", "totals 1,234", "-", "manual__2",
    ]  # fmt: skip
    assert re.split("  +", before) == [
        DAY, "1", "-", "2026-01-31 06:00:00 UTC", "totals 1,234", "weather, 1 row of orders",
        "manual__1",
    ]  # fmt: skip
    assert aside == "1 version with params of their own: see the report center, or --json.\n"


@pytest.mark.usefixtures("api")
def test_versions_for_a_program_are_those_of_the_api(typed: Typed) -> None:
    _, out, aside = typed("versions", "sales", "--period", DAY, "--json")

    assert [one["release_id"] for one in json.loads(out)["versions"]] == [11, 9, 5]
    assert aside == ""


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("airline",), 0, "Nothing is published of airline, with default params."),
        (("sales", "--period", "2013-07-05"), 0, "Nothing is published of sales, 2013-07-05,"),
        (("slaes",), 2, "Report 'slaes' is unknown; allowed: airline, sales."),
        (("sales", "--period", "2013-07-99"), 2, "'2013-07-99' is no day and no month"),
    ],
)
def test_versions_of_what_is_not_there(
    typed: Typed, words: tuple[str, ...], code: int, told: str
) -> None:
    found, out, aside = typed("versions", *words)

    assert found == code
    assert told in out + aside
