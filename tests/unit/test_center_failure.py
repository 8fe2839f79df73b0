"""Why a run failed, and what to do, as a page tells it."""

from __future__ import annotations

import pytest

from report_center.records.failure import Aftermath, failure_row
from tests.center_rows import a_run

pytestmark = pytest.mark.unit
WORKED = {"init": "success", "fetch_orders": "success", "await_sources": "success"}


def after(**reasons: str) -> Aftermath:
    return Aftermath(reasons, (), (), False, None)


def test_a_failed_step_is_named_with_what_to_clear() -> None:
    run = a_run("FAILED", steps={**WORKED, "compute": "failed", "store": "upstream_failed"})
    found = failure_row(run, after(compute="KeyError: 'amount'"))
    assert (found.step, found.reason) == ("compute", "KeyError: 'amount'")
    assert (found.remedy, found.to_clear) == ("clear", ("compute",))
    assert "KeyError" in found.text


def test_a_lost_source_is_what_to_clear() -> None:
    run = a_run(
        "FAILED",
        steps={"init": "success", "fetch_orders": "failed", "await_sources": "failed"},
    )
    found = failure_row(run, after(fetch_orders="TransientError: away"))
    assert (found.step, found.remedy, found.to_clear) == (
        "fetch_orders",
        "clear",
        ("fetch_orders",),
    )


def test_a_refused_param_is_to_be_mended() -> None:
    run = a_run("FAILED", steps={"init": "failed"})
    found = failure_row(run, after(init="InputError: Param 'carrier' is 'x'"))
    assert (found.remedy, found.to_clear) == ("params", ())


def test_a_run_of_which_nothing_is_known_is_to_be_triggered_anew() -> None:
    assert failure_row(a_run("FAILED", steps={}), after()).remedy == "trigger"


def test_a_killed_step_left_no_reason() -> None:
    run = a_run("FAILED", steps={**WORKED, "compute": "failed"})
    assert failure_row(run, after()).reason is None
