"""The class of an error decides what Airflow does next (R13)."""

from __future__ import annotations

from datetime import timedelta

import psycopg
import pytest
from airflow.sdk.definitions.retry_policy import RetryAction
from airflow.sdk.exceptions import AirflowNotFoundException

from reporting import Retry
from reporting.airflow_edge.retry import ByErrorClass, error_classes, retry_arguments, retry_wait
from reporting.errors import ContractError, InputError, TransientError

HOPELESS = [
    ContractError("a column is missing"),
    InputError("no such param"),
    KeyError("carier"),
    ZeroDivisionError(),
    psycopg.errors.UndefinedTable("no such table"),
    psycopg.errors.NumericValueOutOfRange("too large"),
    AirflowNotFoundException("no such connection"),
]
WORTH_ANOTHER_TRY = [
    TransientError("busy"),
    psycopg.OperationalError("the server is away"),
    psycopg.errors.SerializationFailure("again"),
    psycopg.errors.DeadlockDetected("again"),
    ConnectionResetError(),
    TimeoutError(),
]


@pytest.mark.parametrize("error", HOPELESS, ids=lambda error: type(error).__name__)
def test_hopeless_errors_fail_at_once(error: Exception) -> None:
    assert ByErrorClass().evaluate(error, 1, 3).action is RetryAction.FAIL


@pytest.mark.parametrize("error", WORTH_ANOTHER_TRY, ids=lambda error: type(error).__name__)
def test_others_are_tried_again_with_back_off(error: Exception) -> None:
    assert ByErrorClass().evaluate(error, 1, 3).action is RetryAction.DEFAULT


@pytest.mark.parametrize("error", HOPELESS, ids=lambda error: type(error).__name__)
def test_hopeless_errors_are_no_reason_to_run_again(error: Exception) -> None:
    assert "TransientError" not in error_classes(error)
    assert error_classes(error)[0] == type(error).__name__


@pytest.mark.parametrize("error", WORTH_ANOTHER_TRY, ids=lambda error: type(error).__name__)
def test_what_may_pass_is_transient_whoever_raised_it(error: Exception) -> None:
    assert "TransientError" in error_classes(error)
    assert error_classes(error)[0] == type(error).__name__


def test_the_service_may_name_the_time() -> None:
    asked = TransientError("busy", retry_after=timedelta(seconds=90))
    decision = ByErrorClass().evaluate(asked, 1, 3)
    assert decision.action is RetryAction.RETRY
    assert decision.retry_delay == timedelta(seconds=90)


@pytest.mark.parametrize(("named", "times"), [(None, 1), (timedelta(seconds=90), 2)])
def test_the_wait_that_is_told_is_the_one_that_airflow_makes(
    named: timedelta | None, times: int
) -> None:
    retry = Retry(first_delay=timedelta(seconds=5), max_delay=timedelta(seconds=30))

    told = retry_wait(retry, TransientError("busy", named), times)

    assert told == ([90.0, 90.0] if named else [5.0, 10.0])
    assert retry_wait(retry, TransientError("busy"), 2) == [10.0, 20.0]
    assert retry_wait(retry, TransientError("busy"), 3) == [20.0, 30.0]
    assert retry_wait(retry, TransientError("busy"), 100) == [30.0, 30.0]
    assert retry_wait(retry, ContractError("no"), 1) is None


def test_back_off_grows_and_is_capped() -> None:
    arguments = retry_arguments(Retry(times=2, first_delay=timedelta(seconds=5)))
    assert arguments["retries"] == 2
    assert arguments["retry_delay"] == timedelta(seconds=5)
    assert arguments["retry_exponential_backoff"] > 1
    assert arguments["max_retry_delay"] == timedelta(minutes=10)
