"""Dead letters on the command line: what is asked of the API, and what is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from reporting.cli import dead_letters, dead_letters_act, dead_letters_show
from reporting.cli.dead_letter_text import lines_of
from reporting.cli.guarded import guarded
from reporting.cli.login import find_login
from reporting.cli.main import parser
from reporting.core.airflow_api import AirflowApi, ConflictError, NotFoundError
from tests.unit.known_reports import KnownReports

pytestmark = pytest.mark.unit

LETTER: Mapping[str, Any] = {
    "dead_letter_id": 17,
    "queue": "planes.lookup",
    "bytes": 2200,
    "reason": "whoever takes it from its queue failed on it each time",
    "source": "planes",
    "report": "airline",
    "run_id": "manual__2026-01-31T06:00:00+00:00",
    "tries": 6,
    "state": "waiting",
    "first_at": "2026-01-31T06:01:00+00:00",
    "last_at": "2026-01-31T07:02:03.5+00:00",
    "settled_at": None,
    "settled_by": None,
    "payload": "_dead_letters/ab-cd",
}
UNKNOWN = {**LETTER, "dead_letter_id": 4, "report": None, "source": None, "run_id": None}


@dataclass
class Letters(AirflowApi):
    """An API with a few letters; 18 is refused, 19 is not there."""

    base_url: str = "http://airflow"
    user: str = "ann"
    password: str = "-"
    found: list[Mapping[str, Any]] = field(default_factory=lambda: [LETTER, UNKNOWN])
    uncollected: int | None = None
    asked: list[tuple[str, Any]] = field(default_factory=list)

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        self.asked.append((path, query))
        if path == "dead-letters":
            return self.page(query["cursor"])
        if path == "dead-letters/99":
            raise NotFoundError("Airflow's API, GET dead-letters/99: 404")
        return {"beginning": '{"day": 1}'} if path.endswith("/payload") else dict(LETTER)

    def page(self, cursor: str | None) -> dict[str, Any]:
        """Return one letter, from where the cursor says."""
        at = int(cursor or 0)
        shown, more = self.found[at : at + 1], at + 1 < len(self.found)
        cursor = str(at + 1) if more else None
        return {"dead_letters": shown, "next_cursor": cursor, "uncollected": self.uncollected}

    def post(self, path: str, body: Any) -> dict[str, Any]:
        self.asked.append((path, body))
        if "/18/" in path:
            raise ConflictError("Dead letter 18 was replayed already.")
        if "/19/" in path:
            raise NotFoundError("There is no dead letter 19.")
        return dict(LETTER)


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Letters:
    found = Letters()
    for module in (dead_letters, dead_letters_show, dead_letters_act):
        monkeypatch.setattr(module, "report_api_of", lambda _: found)
    monkeypatch.setattr(dead_letters, "airflow_of", lambda _: KnownReports())
    return found


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return what types a command, and gives its exit code, its output and what it says aside."""

    def run(*words: str) -> tuple[int, str, str]:
        options = parser().parse_args(["dead-letters", *words])
        code = guarded(lambda: int(options.run(options)))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


Typed = Callable[..., tuple[int, str, str]]


def test_the_list_has_a_line_per_letter(api: Letters, typed: Typed) -> None:
    code, out, _ = typed("--report", "airline", "--source", "planes")

    assert code == 0
    assert [line.split()[:4] for line in out.splitlines()] == [
        ["ID", "REPORT", "SOURCE", "TRIES"],
        ["17", "airline", "planes", "6"],
        ["4", "-", "-", "6"],
    ]
    assert "2.2 kB  2026-01-31 07:02:03 UTC  waiting" in out
    assert [query["cursor"] for _, query in api.asked] == [None, "1", None]
    _, query = api.asked[-1]
    assert (query["report"], query["source"], query["state"]) == ("airline", "planes", ("waiting",))


def test_all_are_listed_when_asked_for(api: Letters, typed: Typed) -> None:
    typed("--all")

    assert api.asked[0][1]["state"] == ("waiting", "replayed", "discarded")


def test_a_list_without_letters_says_so(api: Letters, typed: Typed) -> None:
    api.found.clear()

    assert typed()[1] == "No dead letter waits.\n"
    assert typed("--all")[1] == "There is no dead letter.\n"
    assert json.loads(typed("--json")[1]) == {"dead_letters": []}


def test_what_lies_on_the_broker_still_is_told_aside(api: Letters, typed: Typed) -> None:
    api.found.clear()
    api.uncollected = 2

    code, out, err = typed()

    assert (code, out) == (0, "No dead letter waits.\n")
    assert err == "2 more, of any report, wait on the broker for report_janitor to collect.\n"


def test_no_letters_of_a_report_that_nobody_knows(api: Letters, typed: Typed) -> None:
    api.found.clear()

    assert typed("--report", "sales") == (0, "No dead letter waits.\n", "")
    code, out, err = typed("--report", "slaes")
    assert (code, out) == (2, "")
    assert "Report 'slaes' is unknown" in err


def test_one_is_shown_with_its_message_and_what_to_do(api: Letters, typed: Typed) -> None:
    code, out, _ = typed("show", "17")

    assert code == 0
    assert [path for path, _ in api.asked] == ["dead-letters/17", "dead-letters/17/payload"]
    assert '\n  {"day": 1}\n' in out
    assert "in the store as _dead_letters/ab-cd" in out
    assert "reports dead-letters replay 17" in out
    assert "status manual__2026-01-31T06:00:00+00:00 --report airline" in out
    assert json.loads(typed("show", "17", "--json")[1])["beginning"] == '{"day": 1}'


@pytest.mark.usefixtures("api")
def test_one_that_is_not_there_is_refused_alike_by_every_command(typed: Typed) -> None:
    told = "refused: Dead letter {} is unknown; see all: reports dead-letters --all\n"

    assert typed("show", "99") == (2, "", told.format(99))
    assert typed("replay", "19") == (2, "", told.format(19))
    assert typed("discard", "19", "--yes") == (2, "", told.format(19))


def test_of_several_each_is_done_and_the_refused_are_named(api: Letters, typed: Typed) -> None:
    code, out, err = typed("replay", "17", "18", "19", "17", "20")

    assert code == 2
    assert out == "Replayed 17\nReplayed 20\n"
    assert err.splitlines() == [
        "refused: Dead letter 18 was replayed already.",
        "refused: Dead letter 19 is unknown; see all: reports dead-letters --all",
    ]
    assert [path for path, _ in api.asked] == [
        f"dead-letters/{number}/replay" for number in (17, 18, 19, 20)
    ]


def test_nothing_is_discarded_without_yes_where_nobody_can_be_asked(
    api: Letters, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: False, raising=False)

    code, out, err = typed("discard", "17")

    assert (code, out, api.asked) == (2, "", [])
    assert "add --yes" in err
    assert typed("discard", "17", "--yes")[:2] == (0, "Discarded 17\n")


@pytest.mark.parametrize(
    ("answer", "is_done"), [("y", True), (" YES ", True), ("", False), ("n", False)]
)
def test_who_discards_is_asked_first(
    api: Letters, typed: Typed, monkeypatch: pytest.MonkeyPatch, answer: str, is_done: bool
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda _: answer)

    said = (0, "Discarded 17\n") if is_done else (1, "Nothing was discarded.\n")
    assert typed("discard", "17")[:2] == said
    assert len(api.asked) == is_done


def test_a_settled_letter_says_when_and_by_whom() -> None:
    settled = {"state": "discarded", "settled_at": "2026-02-01T00:00:00+00:00", "settled_by": "ann"}

    lines = lines_of({**LETTER, **settled}, None)

    assert lines[0] == "Dead letter:  17 (discarded 2026-02-01 00:00:00 UTC by ann)"
    assert lines[-1] == "  (it is not kept any more)"


def test_what_a_terminal_obeys_is_not_passed_on() -> None:
    text = "\n".join(lines_of(LETTER, "\x1b]0;title\x07 \x9b31m\r\nnext"))

    assert "\x1b" not in text
    assert "\x9b" not in text
    assert "\r" not in text
    assert "  next" in text


@pytest.mark.parametrize("words", [["--user", "bob", "show", "3"], ["show", "3", "--user", "bob"]])
def test_a_login_counts_wherever_it_stands(words: list[str]) -> None:
    options = parser().parse_args(["dead-letters", "--url", "http://a", *words])

    login = find_login(options, {"REPORTS_PASSWORD": "-"})

    assert (login.url, login.user) == ("http://a", "bob")


@pytest.mark.parametrize("words", [["show"], ["replay"], ["discard", "x"], ["show", "1", "2"]])
def test_a_letter_is_named_by_its_number(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["dead-letters", *words])
