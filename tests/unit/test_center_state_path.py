"""The states of a run as a path to draw (R3)."""

from __future__ import annotations

import pytest

from report_center.pages.state_path import AHEAD, BROKEN, DONE, MAIN, NEVER, NOW, state_path
from tests.center_samples import GOOD_WAY, transitions


def standings(state: str, *reached: str, is_over: bool = False) -> tuple[list[str], list[str]]:
    path = state_path(state, transitions(*reached), is_over=is_over)
    return [one.standing for one in path.main], [one.standing for one in path.undoing]


def test_a_run_that_has_published_was_everywhere() -> None:
    assert standings("SUCCESS", *GOOD_WAY, is_over=True) == ([DONE] * 6, [])


def test_a_run_that_delivers_has_reached_success() -> None:
    assert standings("SUCCESS", *GOOD_WAY) == ([DONE] * 6, [])


def test_all_sources_are_one_state_that_lasts_from_the_first_to_the_last() -> None:
    found = state_path("SUCCESS", transitions(*GOOD_WAY, each=8), is_over=True)
    assert [one.state for one in found.main] == list(MAIN)
    assert [one.seconds for one in found.main] == [8, 16, 8, 8, 8, None]


def test_what_lies_ahead_is_not_reached_yet() -> None:
    main, undoing = standings("FETCHING_DATA_PLANES", *GOOD_WAY[:3])
    assert main == [DONE, NOW, AHEAD, AHEAD, AHEAD, AHEAD]
    assert undoing == []


def test_a_run_that_has_not_begun_is_at_its_start() -> None:
    assert standings("INIT")[0] == [NOW, *[AHEAD] * 5]


def test_a_failing_run_leaves_the_way_where_it_broke() -> None:
    main, undoing = standings("COMPENSATING", "INIT", "FETCHING_DATA_WEATHER", "COMPENSATING")
    assert main == [DONE, BROKEN, NEVER, NEVER, NEVER, NEVER]
    assert undoing == [NOW, AHEAD]


def test_a_failed_run_has_come_back() -> None:
    main, undoing = standings(
        "FAILED", "INIT", "FETCHING_DATA_A", "COMPENSATING", "FAILED", is_over=True
    )
    assert main == [DONE, BROKEN, NEVER, NEVER, NEVER, NEVER]
    assert undoing == [DONE, BROKEN]


def test_a_run_marked_failed_by_hand_was_never_undone() -> None:
    main, undoing = standings("FAILED", "INIT", "CALCULATING", "FAILED", is_over=True)
    assert main == [DONE, NEVER, NEVER, BROKEN, NEVER, NEVER]
    assert undoing == [BROKEN]


def test_a_run_that_failed_after_the_pivot_keeps_what_it_reached() -> None:
    main, _ = standings("FAILED", *GOOD_WAY, "FAILED", is_over=True)
    assert main == [DONE] * 5 + [BROKEN]


def test_what_an_earlier_life_has_passed_is_done_without_a_time() -> None:
    kept = ("INIT", "FETCHING_DATA_FLIGHTS")
    own = transitions("DATA_AGGREGATED", "CALCULATING")
    main = state_path("CALCULATING", own, kept, is_over=False).main
    assert [one.standing for one in main] == [DONE, DONE, DONE, NOW, AHEAD, AHEAD]
    assert [one.at is None for one in main] == [True, True, False, False, True, True]
    assert [one.seconds for one in main] == [None, None, 8, None, None, None]


def test_a_source_that_is_fetched_again_counts_from_there() -> None:
    own = transitions("FETCHING_DATA_B", "DATA_AGGREGATED", each=5)
    path = state_path("DATA_AGGREGATED", own, ("INIT", "FETCHING_DATA_A"), is_over=False)
    assert (path.main[1].at, path.main[1].seconds) == (own[0].at, 5)


def test_a_run_whose_undoing_alone_is_run_again_broke_where_it_did() -> None:
    kept = ("INIT", "FETCHING_DATA_A")
    path = state_path("COMPENSATING", transitions("COMPENSATING"), kept, is_over=False)
    assert [one.standing for one in path.main] == [DONE, BROKEN, NEVER, NEVER, NEVER, NEVER]


@pytest.mark.parametrize("state", ["INIT", "FAILED", "SUCCESS", "COMPENSATING", "NEW_STATE"])
@pytest.mark.parametrize("is_over", [True, False])
def test_a_run_of_which_no_time_is_known_has_a_path(state: str, is_over: bool) -> None:
    path = state_path(state, (), is_over=is_over)
    assert len(path.main) == len(MAIN)
    assert all(one.at is None and one.seconds is None for one in path.main)
