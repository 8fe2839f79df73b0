"""From the typed words to the conf of a run."""

from __future__ import annotations

from typing import Any

import pytest

from reporting.cli.asked_params import asked_conf
from reporting.definition.monthly import Monthly
from reporting.errors import InputError

pytestmark = pytest.mark.unit

DECLARED: dict[str, dict[str, Any]] = {
    "period": {"type": ["null", "string"], "format": "date", "title": "Period"},
    "carrier": {"type": ["null", "string"]},
    "code": {"type": "string", "pattern": "^[A-Z]{2}$"},
    "title": {"type": "string"},
    "untyped": {},
    "top": {"type": "integer"},
    "delays": {"type": ["null", "array"]},
    "refresh": {"type": "boolean"},
}
DAY = {"period": "2013-01-01", "refresh": True}


def test_nothing_asked_for_is_an_empty_conf() -> None:
    assert asked_conf(DECLARED, {}, []) == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("carrier=UA", "UA"), ("carrier=", None), ("carrier=null", "null"), ("title=", ""),
        ("title=a=b", "a=b"), ("title=12", "12"), ("untyped=12", "12"), ("top=12", 12),
        ("delays=[1, 2]", [1, 2]), ("delays=", None),
    ],
)  # fmt: skip
def test_values_get_their_declared_type(text: str, value: object) -> None:
    assert asked_conf(DECLARED, DAY, [text]) == {**DAY, text.partition("=")[0]: value}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["carrier"], "name=value"),
        (["carier=UA"], "'carier' is unknown.*Did you mean 'carrier'"),
        (["top=many"], "'top' is 'many'; allowed: type integer"),
        (["top="], "'top' is ''"),
        (["top=1", "top=2"], "'top' is given twice"),
        (["period=2013-01-02"], "'period' is given twice"),
        (["refresh=false"], "'refresh' is given twice"),
    ],
)
def test_slips_are_refused(given: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        asked_conf(DECLARED, DAY, given)


@pytest.mark.parametrize("period", ["", "2013-02-30", "20130131", "yesterday"])
def test_a_period_that_is_no_day_says_how_to_write_one(period: str) -> None:
    with pytest.raises(InputError, match=r"'period' is .*allowed: a day as YYYY-MM-DD, or nothing"):
        asked_conf(DECLARED, {"period": period}, [])


@pytest.mark.parametrize("period", ["", "2013-1", "2013-13", "2013-01-01", "2013-01\n", "201301"])
def test_a_period_that_is_no_month_says_how_to_write_one(period: str) -> None:
    declared = {"period": Monthly("06:00", "Europe/Berlin").period_param.schema}

    with pytest.raises(InputError, match=r"'period' is .*allowed: a month as YYYY-MM, or nothing"):
        asked_conf(declared, {"period": period}, [])
    assert asked_conf(declared, {"period": "2013-01"}, []) == {"period": "2013-01"}


def test_a_refresh_that_is_no_yes_or_no_is_refused() -> None:
    assert asked_conf(DECLARED, {}, ["refresh=true"]) == {"refresh": True}
    with pytest.raises(InputError, match="'refresh' is 'yes'; allowed: type boolean"):
        asked_conf(DECLARED, {}, ["refresh=yes"])


def test_all_faults_are_named_at_once() -> None:
    with pytest.raises(InputError) as refusal:
        asked_conf(DECLARED, {"period": "2013-1-1"}, ["code=5", "foo=1", "top=x", "bare"])
    for word in ("'period' is '2013-1-1'", "'code' is '5'; allowed: type string, pattern",
                 "'foo' is unknown", "'top' is 'x'", "name=value"):  # fmt: skip
        assert word in str(refusal.value)
