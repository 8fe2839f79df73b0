"""Reconciliation asks Airflow once per run, and ends in time; what it has not seen it says."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from embedded_stack.stack import Stack
from reporting.airflow_edge import mail, reconciliation
from reporting.airflow_edge.reconciliation import reconcile_daily
from reporting.airflow_edge.reconciliation_alerts import tell
from reporting.core.deadline import ends_in
from reporting.core.reconcile.comparisons import COMPARISONS
from reporting.core.reconcile.difference import Difference, Scope
from reporting.core.reconcile.history import is_due
from reporting.core.reconcile.installation import Installation, Standing
from reporting.core.reconcile.passes import reconcile, repair
from reporting.core.run import RunId
from reporting.core.sweep import Sweep
from reporting.definition.delivery import AlertByEmail
from reporting.errors import TransientError
from tests.airflow_home import use_own_home
from tests.integration.failed_runs import connection, database_connection
from tests.integration.reconciling import LATER, World
from tests.integration.silent_server import silent_server

pytestmark = pytest.mark.integration

OVER = timedelta(0)
PASS = "SELECT differences, repaired, unseen FROM reporting.reconciliation"


def counted(world: World, asked: Counter[str]) -> Installation:
    """Return the installation; Airflow counts how often it is asked of each run."""
    standing_of = world.here.standing_of

    def counting(run: RunId) -> Standing | None:
        asked[run.run_id] += 1
        return standing_of(run)

    return replace(world.here, standing_of=counting)


def test_airflow_is_asked_once_of_each_run_of_which_nothing_differs(world: World) -> None:
    names = ["one", "two", "three"]
    for name in names:
        world.publishes(name)
    asked = Counter[str]()

    assert reconcile(counted(world, asked), Scope(grace=LATER)).differences == []
    assert asked == dict.fromkeys(names, 1)


def test_the_second_look_asks_anew(world: World) -> None:
    """A run that was cleared between the two looks is no difference."""
    run = world.starts()
    world.ends(run)
    looks = Counter[str]()

    def cleared_meanwhile(found: RunId) -> Standing | None:
        looks[found.run_id] += 1
        return Standing(run.id, is_under_way=looks[found.run_id] > 1, ended_at=None)

    here = replace(world.here, standing_of=cleared_meanwhile)
    assert reconcile(here, Scope(grace=LATER)).differences == []


def test_when_the_time_is_over_the_rest_is_unseen(world: World) -> None:
    world.publishes("one")
    world.publishes("two")

    findings = reconcile(world.here, Scope(grace=LATER), ends_in(OVER))

    assert findings.differences == []
    assert "expired staging: 2 were not looked at, the time was over" in findings.unseen
    assert len(findings.unseen) <= len(COMPARISONS)


class Turns:
    """A time of so many turns, of which each comparison gets two."""

    def __init__(self, left: int = 0) -> None:
        self.left = left

    def is_over(self) -> bool:
        self.left -= 1
        return self.left < 0

    def share(self, among: int) -> Turns:
        assert among > 0
        return Turns(2)


def test_each_comparison_has_its_share_and_lots_decide_what_is_seen(world: World) -> None:
    """So that neither the comparisons at the end nor the same things wait each time."""
    for number in range(4):
        world.publishes(f"run_{number}")
    world.places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")
    turns: Any = Turns()
    seen: set[str | None] = set()
    for _ in range(40):
        findings = reconcile(world.here, Scope(grace=LATER), turns)
        seen |= {one.run_id for one in findings.differences}
        assert [one.kind for one in findings.differences] == ["expired staging"] * 2
        assert "expired staging: 2 were not looked at, the time was over" in findings.unseen
        if len(seen) == 4:
            break
    assert len(seen) == 4


def test_repairs_that_are_too_late_are_told(world: World) -> None:
    world.ends(world.starts())
    found = world.found()

    done = repair(world.here, Scope(grace=LATER), found, ends_in(OVER))

    assert done.differences == []
    assert list(done.unseen) == [f"repairs: {len(found)} were left, the time was over"]


def test_a_pass_that_runs_out_of_time_is_noted_and_repeated_after_an_hour(
    world: World, database: str, stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_own_home()
    store = "AIRFLOW_CONN_REPORT_STORE"
    monkeypatch.setenv(store, stack.environment()[store])
    monkeypatch.setenv("AIRFLOW_CONN_REPORT_WAREHOUSE", database_connection(database))
    monkeypatch.setattr(reconciliation, "COMPARING", OVER)
    world.publishes()
    context: Any = {"ti": None}  # nobody asks Airflow of a run any more
    with pytest.raises(TransientError, match="were not looked at, the time was over"):
        reconcile_daily(context, [])

    warehouse = world.places.warehouse
    ((differences, repaired, unseen),) = warehouse.execute(PASS).fetchall()
    assert (differences, repaired) == (0, 0)
    assert unseen > 0
    assert not is_due(warehouse)
    warehouse.execute("UPDATE reporting.reconciliation SET reconciled_at = now() - interval '1 h'")
    assert is_due(warehouse)


def test_a_mail_server_that_never_answers_is_waited_for_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_own_home()
    monkeypatch.setattr(mail, "TIMEOUT_SECONDS", 1)
    found = [_difference(f"report_{number}") for number in range(3)]
    to = [AlertByEmail(to=["ann@x.test", "bob@x.test"], conn_id="post")]
    with silent_server() as server:
        plain = {"disable_ssl": True, "disable_tls": True, "from_email": "reports@x.test"}
        post = connection("smtp", "127.0.0.1", server.port, **plain)
        monkeypatch.setenv("AIRFLOW_CONN_POST", post)
        unsent = tell(world.places.warehouse, to, found, Sweep(bearable=0.2))

        assert len(server.taken) == 1
    assert len(unsent) == 6


def _difference(report: str) -> Difference:
    return Difference("file", report, "run", "reports/a", "a file", "none", "decide")
