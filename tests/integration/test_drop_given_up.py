"""What comes of a drop that is not there: waited for, tried again, or given up with its reason."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest

from embedded_stack.stack import Stack
from reporting.core.service.watch import LATE, REFUSED
from reporting.core.staging import Staging
from reporting.errors import TerminalError, TransientError
from tests.airflow_home import use_own_home
from tests.integration.edge_context import context_of, report_of
from tests.specimens import an_s3_source

pytestmark = pytest.mark.integration
LACKS = "object landing/{key} does not exist \\(yet\\)"


@pytest.fixture(autouse=True)
def landing(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    use_own_home()
    name = "AIRFLOW_CONN_LANDING"
    monkeypatch.setenv(name, stack.environment()[name])


def asked(staging: Staging, event: dict[str, Any] | None = None, **source: Any) -> Any:
    """Let the task look, at first or after its waiting."""
    from reporting.airflow_edge.steps import fetch_drop

    run = staging.run
    declared = an_s3_source(key=f"{run.report}.csv", **source)
    report, context = report_of(run, declared), context_of(run)
    if event is None:
        return fetch_drop.ask(declared, report, context)
    return fetch_drop.collect(declared, report, context, event)


def test_a_drop_that_is_not_waited_for_is_tried_again(staging: Staging) -> None:
    words = LACKS.format(key=f"{staging.run.report}\\.csv")

    with pytest.raises(TransientError, match=rf"{words}\. Nothing was committed"):
        asked(staging)


def test_a_drop_that_is_waited_for_holds_no_worker(staging: Staging) -> None:
    from reporting.airflow_edge.drop_trigger import DropTrigger

    found = asked(staging, wait=timedelta(minutes=5))

    assert isinstance(found, DropTrigger)
    assert found.patience["until"] > time.time()


def test_a_drop_that_never_came_ends_the_fetch(staging: Staging) -> None:
    event = {"outcome": LATE, "reason": "", "sign": "", "until": time.time() - 1}

    with pytest.raises(TerminalError, match="It was waited for 0:05:00; nothing was committed"):
        asked(staging, event, wait=timedelta(minutes=5))


def test_f73_a_refusal_while_it_was_waited_for_ends_the_fetch(staging: Staging) -> None:
    event = {"outcome": REFUSED, "reason": "the store refuses", "sign": "", "until": time.time()}

    with pytest.raises(TerminalError, match="the store refuses"):
        asked(staging, event, wait=timedelta(minutes=5))
