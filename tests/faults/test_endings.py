"""Whatever ends a run, and wherever it is by then: published whole, or undone and told once."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.faults.campaign import Campaign
from tests.faults.endings import FAILED, GONE, SUCCESS, Ending, endings, plan_of
from tests.faults.found import Found
from tests.faults.gathering import Gathering
from tests.faults.ground import Ground
from tests.faults.own import OWN

pytestmark = pytest.mark.e2e

CELLS = endings()
PLANS = [plan_of(number, ending) for number, ending in enumerate(CELLS)]
AT_ONCE = 6


@dataclass(frozen=True)
class Ended:
    """What was found once all cells were played.

    Attributes:
        broken: broken invariants, per seed.
        found: everything else.
    """

    broken: dict[int, list[str]]
    found: Found


@pytest.fixture(scope="module")
def ended(ground: Ground) -> Ended:
    broken = Campaign(ground, PLANS, OWN.prepare, AT_ONCE, print).run()
    reports = sorted({ending.report for ending in CELLS})
    return Ended(broken, Gathering(ground, reports).gather())


def name(ending: Ending) -> str:
    return f"{ending.how}-{ending.step}".replace("`", "").replace(" ", "_")


@pytest.mark.parametrize("number", range(len(CELLS)), ids=[name(cell) for cell in CELLS])
def test_ending(ended: Ended, number: int) -> None:
    cell, plan = CELLS[number], PLANS[number]

    assert ended.broken.get(plan.seed) is None
    state = {run.run_id: run.state for run in ended.found.runs}.get(plan.run_id, GONE)
    assert state == cell.state
    current = [
        release
        for release in ended.found.releases
        if (release.report, release.period) == plan.case.key and release.is_current
    ]
    assert len(current) == cell.is_published
    told = {one: count for one, count in ended.found.told.items() if one[1] == plan.run_id}
    assert set(told) == (
        {(c, plan.run_id) for c in ("email", "slack")} if state == FAILED else set()
    )


def test_what_is_nobodys_is_not_left_either(ended: Ended) -> None:
    assert ended.broken.get(0) is None
    assert {cell.state for cell in CELLS} == {SUCCESS, FAILED, GONE}
