"""Which plans of the fault harness must end well."""

from __future__ import annotations

import pytest

from tests.faults.outlook import must_succeed
from tests.faults.plan import END, Action, Fault, Moment, Plan, ServiceFault, StackFault, Strike
from tests.faults.subject import Case

pytestmark = pytest.mark.unit

KILLED = Strike("store", "files", "kill")
HELD = Moment("store", "loaded")


def plan(*faults: Fault) -> Plan:
    return Plan(1, Case("r", "2000-01-02", 1), faults)


@pytest.mark.parametrize(
    "faults",
    [
        (),
        (KILLED,),
        (KILLED, Strike("store", "loaded", "kill")),
        (ServiceFault("fetch_a", "hung_up", 1), KILLED),
        (Action("trigger again", "", Moment("", END)),),
        (Action("backfill", "", HELD), KILLED),
    ],
    ids=str,
)
def test_what_trying_again_mends_must_end_well(faults: tuple[Fault, ...]) -> None:
    assert must_succeed(plan(*faults), tries=2)


@pytest.mark.parametrize(
    "faults",
    [
        (Strike("store", "files", "fatal error"),),
        (ServiceFault("fetch_a", "refused", 1),),
        (Action("mark run failed", "", HELD),),
        (StackFault("postgres", HELD),),
        (KILLED, KILLED, KILLED),
    ],
    ids=str,
)
def test_of_all_else_it_is_not_known(faults: tuple[Fault, ...]) -> None:
    assert not must_succeed(plan(*faults), tries=2)
