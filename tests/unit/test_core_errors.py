"""Errors cross processes, and name the nearest of what is allowed."""

from __future__ import annotations

import inspect
import pickle
from datetime import timedelta

import pytest

from reporting import errors
from reporting.errors import ReportError, TransientError, choices

pytestmark = pytest.mark.unit


KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)
         if issubclass(kind, ReportError)]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_can_be_pickled(kind: type[ReportError]) -> None:
    """Airflow hands errors from process to process."""
    read = pickle.loads(pickle.dumps(kind("what happened")))  # noqa: S301 - made on this line

    assert type(read) is kind
    assert str(read) == "what happened"


def test_a_pickled_transient_error_keeps_the_time_to_wait() -> None:
    error = TransientError("busy", timedelta(seconds=7))

    read = pickle.loads(pickle.dumps(error))  # noqa: S301 - made two lines above

    assert (str(read), read.retry_after) == ("busy", timedelta(seconds=7))


def test_all_errors_were_looked_at() -> None:
    assert len(KINDS) >= 9


def test_choices_name_the_nearest() -> None:
    assert choices(("store", "deliver"), "stor") == "allowed: deliver, store. Did you mean 'store'?"
    assert choices((), "x") == "allowed: none."
