"""What is asked for is checked before a run is made, and known again."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from report_center.records.asked import Asked, check, request_key, same_run
from reporting.core.run import Run, RunId
from reporting.definition.description import description_of
from reporting.definition.params import Param
from reporting.errors import InputError
from tests.center_rows import a_run
from tests.specimens import BERLIN, a_report

pytestmark = pytest.mark.unit
NOW = datetime(2024, 5, 2, 12, tzinfo=UTC)
REPORT = a_report(
    params={
        "carrier": Param(None, type=["null", "string"], pattern="^[A-Z]{2}$"),
        "number": Param(1, type="integer"),
    }
)
DEFINITION = description_of(REPORT)


def asked(period: str | None = None, refresh: bool = False, **params: Any) -> Asked:
    return Asked(period, params, refresh)


@pytest.mark.parametrize(
    "good",
    [
        asked(),
        asked("2024-05-01"),
        asked(carrier="UA", number=2),
        asked(carrier=None, refresh=True),
    ],
)
def test_what_is_allowed_passes(good: Asked) -> None:
    check(good, DEFINITION, NOW)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (asked(carrier="ua"), ["Param 'carrier' is 'ua'", "pattern"]),
        (asked(number="2"), ["Param 'number' is '2'", "integer"]),
        (asked(number=float("nan")), ["Param 'number'"]),
        (asked(carier="UA"), ["Param 'carier' is unknown", "'carrier'"]),
        (
            Asked(None, {"period": "2024-05-01"}, refresh=False),
            ["period stands beside params", '{"period": …, "params": {…}}'],
        ),
        (Asked(None, {"refresh": True}, refresh=False), ["refresh stands beside params"]),
        (asked("2024-02-30"), ["Param 'period' is '2024-02-30'"]),
        (asked("2024-05-02"), ["2024-05-02", "over"]),
        (asked("2024-05"), ["Param 'period'"]),
    ],
)
def test_each_fault_names_the_param_the_value_and_what_is_allowed(
    bad: Asked, words: list[str]
) -> None:
    with pytest.raises(InputError) as found:
        check(bad, DEFINITION, NOW)
    for word in words:
        assert word in str(found.value)


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(InputError, match=r"(?s)carrier.*number.*other"):
        check(asked(carrier="x", number="y", other=1), DEFINITION, NOW)


def test_the_key_is_the_one_the_run_itself_will_have() -> None:
    period = BERLIN.period_asked_for("2024-05-01")
    params = {"carrier": "UA", "number": 1}
    of_run = Run(RunId(REPORT.name, "r"), period, params, is_default=False).request_key
    wanted = asked("2024-05-01", carrier="UA", number=1.0)
    assert request_key(wanted, DEFINITION, REPORT.name, NOW) == of_run


def test_f26_a_run_that_works_on_the_same_is_known() -> None:
    key = request_key(asked(), DEFINITION, REPORT.name, NOW)
    assert key is not None
    other = a_run(run_id="other", period="2024-04-30")
    same = a_run(run_id="same", period=None, run_after=NOW)
    duplicate = a_run(run_id="duplicate", is_duplicate=True)
    refused = a_run(run_id="refused", period="nonsense")

    assert same_run([duplicate, refused, other, same], key, DEFINITION) == same
    assert same_run([duplicate, refused, other], key, DEFINITION) is None


def test_a_secret_counts_as_it_was_sent_and_not_as_it_is_shown() -> None:
    token = Param("of the report", type="string", more={"format": "password"})
    definition = description_of(a_report(params={"token": token}))
    key = request_key(asked(token="mine"), definition, "sales", NOW)
    assert key is not None
    same = a_run(run_id="same", period=None, run_after=NOW, params={"token": "…"})
    same = replace(same, asked={"token": "mine"})
    other = replace(same, run_id="other", asked={"token": "another"})

    assert same_run([other, same], key, definition) == same
    assert "mine" not in repr(same)


def test_a_secret_that_is_left_to_its_default_is_known_to_the_report_alone() -> None:
    token = Param("of the report", type="string", more={"format": "password"})
    definition = description_of(a_report(params={"token": token}))
    assert request_key(asked(), definition, "sales", NOW) is None
    assert same_run([a_run(period=None, run_after=NOW)], "key", definition) is None


def test_what_goes_to_airflow_is_only_what_was_given() -> None:
    assert asked().conf == {}
    assert asked("2024-05-01", True, carrier="UA").conf == {
        "period": "2024-05-01",
        "carrier": "UA",
        "refresh": True,
    }
