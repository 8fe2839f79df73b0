"""Run ids as object keys, and business keys."""

from __future__ import annotations

import json
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.run import (
    RunId,
    canonical,
    decode_task_key,
    encode_run_id,
    is_same,
    run_from_json,
    split_period,
)
from reporting.definition.daily import Daily
from tests.specimens import a_run

pytestmark = pytest.mark.unit

run_ids = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text("aZ09:+~./_-% \\?#é\U0001f600"),
    st.from_regex(r"(manual|scheduled)__\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", fullmatch=True),
)
params = st.dictionaries(
    st.sampled_from("abc"),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=2),
        max_leaves=3,
    ),
)
days = st.dates(date(2000, 1, 1), date(2030, 1, 1))


@given(run_ids)
def test_a_task_key_is_reversible(run_id: str) -> None:
    assert decode_task_key(encode_run_id(run_id)) == run_id


@given(run_ids)
def test_a_task_key_is_safe_in_a_path_a_url_and_a_file_name(run_id: str) -> None:
    """F88: no character that any client, proxy or file system reads in its own way."""
    assert re.fullmatch(r"[A-Za-z0-9_~-]*", encode_run_id(run_id))


@given(run_ids, run_ids)
def test_different_runs_have_prefixes_none_of_which_holds_the_other(one: str, other: str) -> None:
    mine, theirs = RunId("sales", one).prefix, RunId("sales", other).prefix

    assert theirs.startswith(mine) == (one == other)


@pytest.mark.parametrize(("one", "other"), [("run_1", "run_10"), ("a", "a/b"), ("a", "a~2Fb")])
def test_a_run_is_no_prefix_of_another(one: str, other: str) -> None:
    mine, theirs = RunId("sales", one).prefix, RunId("sales", other).prefix

    assert not theirs.startswith(mine)
    assert not mine.startswith(theirs)


def as_json(value: Any) -> Any:
    """Return the value as JSON compares it: 1 and 1.0 are equal, 1 and true are not."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return (type(value).__name__, value)
    if isinstance(value, list):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    return ("number", value)


@given(days, params, days, params)
def test_request_keys_are_equal_just_for_equal_requests(
    day: date, mine: dict[str, Any], other_day: date, theirs: dict[str, Any]
) -> None:
    """R15, F26: equal period and params make one key, any other pair makes two."""
    one, other = a_run(day=day, params=mine), a_run(day=other_day, params=theirs)

    assert (one.request_key == other.request_key) == (
        (day, as_json(mine)) == (other_day, as_json(theirs))
    )


@given(params)
def test_the_order_of_params_and_the_run_do_not_change_the_key(
    given_params: dict[str, Any],
) -> None:
    turned = dict(reversed(given_params.items()))

    one = a_run(run_id="one", params=given_params)

    assert one.request_key == a_run(run_id="other", params=turned, clear_number=3).request_key
    assert is_same(given_params, turned)


@given(params)
def test_canonical_params_are_json_that_says_the_same(given_params: dict[str, Any]) -> None:
    assert as_json(json.loads(canonical(given_params))) == as_json(given_params)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(1, 1.0, True), (1, True, False), (0, False, False), ("1", 1, False), (None, "", False),
     ([1, 2], [2, 1], False), (-0.0, 0, True), (0.1, 0.10, True)],
)  # fmt: skip
def test_sameness_is_that_of_json(one: Any, other: Any, same: bool) -> None:
    assert is_same({"x": one}, {"x": other}) is same


def test_a_run_survives_the_xcom_as_json() -> None:
    run = a_run(params={"carrier": "UA", "n": 1}, is_default=False, schedule=Daily("06:00", "UTC"))

    read = run_from_json(json.loads(json.dumps(run.to_json())))

    assert read == run
    assert read.at(2).id.clear_number == 2
    assert read.at(2).request_key == run.request_key


def test_the_period_is_parted_from_the_params() -> None:
    assert split_period({"period": "2024-05-01", "a": 1}) == ("2024-05-01", {"a": 1})
    assert split_period({"a": 1}) == (None, {"a": 1})


def test_a_refresh_is_part_of_no_request() -> None:
    assert split_period({"period": "2024-05-01", "refresh": True}) == ("2024-05-01", {})
