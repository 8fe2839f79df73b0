"""The points of the fault harness are functions of the product, and strike at their moment."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from tests.faults.points import AFTER, BEFORE, FATAL, KILL, POINTS, Point
from tests.faults.strikes import FAULTS, wrap

CALLS: list[str] = []


def work(what: str) -> str:
    """Stand for a function of the product."""
    CALLS.append(what)
    return what.upper()


class Worker:
    """Stands for a class of the product."""

    def work(self, what: str) -> str:
        return work(what)


@pytest.mark.parametrize("point", POINTS, ids=lambda point: point.name)
def test_the_point_is_in_the_product_and_its_faults_can_be_played(point: Point) -> None:
    module, _, path = point.target.partition(":")
    found: Any = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)

    assert callable(found)
    assert set(point.errors) | {KILL, FATAL} <= set(FAULTS)


def test_no_two_points_are_the_same() -> None:
    places = {(point.target, point.moment, point.step) for point in POINTS}

    assert len({point.name for point in POINTS}) == len(places) == len(POINTS)


@pytest.mark.parametrize("target", ["work", "Worker.work"])
@pytest.mark.parametrize(
    ("moment", "order"), [(BEFORE, ["struck", "done"]), (AFTER, ["done", "struck"])]
)
def test_a_point_strikes_at_its_moment(
    target: str, moment: str, order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner: Any = Worker if "." in target else import_module(__name__)
    monkeypatch.setattr(owner, "work", owner.work)  # put back afterwards
    CALLS.clear()

    wrap(Point("p", f"{__name__}:{target}", moment, "fetch"), lambda _p, _a: CALLS.append("struck"))

    call = Worker().work if "." in target else import_module(__name__).work
    assert call("done") == "DONE"
    assert order == CALLS
