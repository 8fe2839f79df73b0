"""What an upstream event asks for, and which run answers it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.event_shares import Told, share_out
from reporting.core.event_standing import Handover, Next, Standing
from reporting.core.upstream_event import Happened, asked_by, first_of_each, key_of_run, told_with
from reporting.definition.params import Param
from reporting.errors import InputError
from tests.specimens import a_report

pytestmark = pytest.mark.unit

AT = datetime(2024, 5, 2, 10, tzinfo=UTC)  # in Berlin after 06:00
REPORT = a_report(params={"shop": Param("all", enum=["all", "web"])})


def event(seconds: float = 0, **told: Any) -> Happened:
    return Happened("orders_loaded", AT + timedelta(seconds=seconds), told)


def days(*found: Happened, taken: dict[str, str] | None = None) -> list[list[str]]:
    """Return period and number of events per share."""
    shares = share_out(REPORT, found, taken or {}, "run")
    return [[share.asked.period.key, str(len(share.events))] for share in shares.asked]


def test_what_an_event_does_not_name_has_its_default() -> None:
    asked = asked_by(REPORT, event())
    assert asked.conf == {"period": "2024-05-01", "shop": "all"}


def test_without_a_period_it_is_the_last_complete_one_when_it_was_told() -> None:
    early = Happened("orders_loaded", datetime(2024, 5, 2, 3, 59, tzinfo=UTC), {})
    assert asked_by(REPORT, early).period.key == "2024-04-30"


def test_an_event_names_period_and_params() -> None:
    asked = asked_by(REPORT, event(id="1", period="2024-03-31", params={"shop": "web"}))
    assert asked.conf == {"period": "2024-03-31", "shop": "web"}


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"perod": "2024-03-31"}, "Field 'perod' is unknown; allowed: id, params, period. Did you"),
        ({"period": "31.3.2024"}, "Param 'period' is '31.3.2024'; allowed: "),
        ({"period": 20240331}, "Param 'period' is 20240331"),
        ({"period": "2024-05-02"}, "allowed: a day that is over"),
        ({"params": {"refresh": True}}, "Param 'refresh' is unknown; allowed: period, shop."),
        ({"params": {"shopp": "web"}}, "Param 'shopp' is unknown; allowed: period, shop."),
        ({"params": {"shop": "mail"}}, "Param 'shop' is 'mail'; allowed: "),
        ({"params": {"period": "2024-03-31"}}, "without 'period', which stands beside it"),
        ({"params": "shop=web"}, "Field 'params' is 'shop=web'; allowed: an object"),
        ({"id": 7}, "Field 'id' is 7; allowed: a text."),
    ],
)
def test_what_is_not_allowed_is_refused_by_name(told: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError) as refusal:
        asked_by(REPORT, event(**told))
    assert named in str(refusal.value)
    assert "event 'orders_loaded' of 2024-05-02T10:00:00+00:00" in str(refusal.value)


def test_airflows_own_notes_are_not_what_was_said() -> None:
    assert told_with({"period": "2024-03-31", "from_rest_api": True}) == {"period": "2024-03-31"}
    assert told_with({"from_trigger": True, "payload": {"id": "1"}}) == {"id": "1"}
    assert told_with(None) == {}


def test_an_id_makes_an_event_the_same_whenever_and_however_it_was_told() -> None:
    assert event(id="1").key == event(9, id="1", period="2024-03-31").key
    assert event(id="1").key != event(id="2").key
    assert event().key != event(1).key
    assert event(id="1").key != Happened("refunds_loaded", AT, {"id": "1"}).key
    assert first_of_each([event(2, id="1"), event(1, id="1"), event(3)]) == [
        event(1, id="1"),
        event(3),
    ]


def test_each_run_that_is_started_for_an_event_alone_is_known_by_its_id() -> None:
    told = event(id="1")
    names = list(islice(told.run_ids(), 3))

    assert names == [told.run_id, f"{told.run_id}.2", f"{told.run_id}.3"]
    assert {key_of_run(name) for name in names} == {told.key}
    assert key_of_run("asset_triggered__2024-05-01T10:00:00.5+00:00") is None


def test_events_for_other_periods_have_shares_of_their_own() -> None:
    found = [event(1, period="2024-03-31"), event(2, period="2024-03-30"), event(3)]
    assert days(*found) == [["2024-03-31", "1"], ["2024-03-30", "1"], ["2024-05-01", "1"]]


def test_events_that_ask_for_the_same_share_a_run() -> None:
    found = [event(1, period="2024-05-01"), event(2)]
    assert days(*found) == [["2024-05-01", "2"]]

    (share,) = share_out(REPORT, found, {}, "run").asked
    assert share.told == Told(tuple(e.key for e in found), found[-1].at)


def test_what_another_run_answers_is_left_out_and_a_cleared_run_repeats_itself() -> None:
    first, second = event(1, period="2024-03-31"), event(2, period="2024-03-30")
    assert days(first, second, taken={first.key: "other"}) == [["2024-03-30", "1"]]
    assert days(first, second, taken={second.key: "run"})[0] == ["2024-03-30", "1"]


def test_a_refused_event_hides_no_other() -> None:
    shares = share_out(REPORT, [event(1, perod="x"), event(2)], {}, "run")
    assert [share.asked.period.key for share in shares.asked] == ["2024-05-01"]
    assert list(shares.refused) == [event(1, perod="x")]


@given(st.lists(st.tuples(st.integers(1, 28), st.sampled_from(["new", "mine", "other"]))))
def test_no_event_is_lost_and_none_is_answered_twice(drawn: list[tuple[int, str]]) -> None:
    found = [event(n, period=f"2024-03-{day:02d}") for n, (day, _) in enumerate(drawn)]
    holders = {"mine": "run", "other": "another"}
    taken = {
        e.key: holders[whose] for e, (_, whose) in zip(found, drawn, strict=True) if whose != "new"
    }
    shares = share_out(REPORT, found, taken, "run")
    answered = [e.key for share in shares.asked for e in share.events]
    assert sorted(answered) == sorted(e.key for e in found if taken.get(e.key) != "another")
    periods = [share.asked.period.key for share in shares.asked]
    assert len(periods) == len(set(periods))


def test_a_new_event_is_told_once_and_forgotten_when_its_runs_exist() -> None:
    handover = Handover(AT)
    assert handover.decide(Standing.ABSENT, AT) is Next.TELL
    assert handover.decide(Standing.ABSENT, AT + timedelta(seconds=1)) is Next.WAIT
    assert handover.decide(Standing.NOTED, AT + timedelta(seconds=2)) is Next.WAIT
    assert handover.decide(Standing.STARTED, AT + timedelta(seconds=3)) is Next.FORGET


def test_an_event_that_was_told_before_a_crash_is_not_told_again_at_once() -> None:
    assert Handover(AT).decide(Standing.NOTED, AT) is Next.WAIT
    assert Handover(AT).decide(Standing.STARTED, AT) is Next.FORGET


@pytest.mark.parametrize("standing", [Standing.NOTED, Standing.ABSENT])
def test_an_event_that_starts_nothing_is_told_again(standing: Standing) -> None:
    handover = Handover(AT, told_at=AT)
    assert handover.decide(standing, AT + timedelta(seconds=59)) is Next.WAIT
    assert handover.decide(standing, AT + timedelta(seconds=60)) is Next.TELL
    assert handover.decide(standing, AT + timedelta(seconds=61)) is Next.WAIT


def test_an_event_waits_while_its_reports_are_paused() -> None:
    handover = Handover(AT, told_at=AT)
    assert handover.decide(Standing.ASLEEP, AT + timedelta(days=1)) is Next.WAIT
    assert handover.decide(Standing.NOTED, AT + timedelta(days=1)) is Next.TELL


def test_an_id_of_half_a_character_is_refused_and_holds_up_no_other() -> None:
    """JSON may hold one, and so may Airflow's database."""
    half, good = event(0, id="\ud800"), event(1, id="1", period="2024-03-31")

    shares = share_out(REPORT, first_of_each([half, good]), {}, "run")

    assert [share.asked.period.key for share in shares.asked] == ["2024-03-31"]
    assert "Field 'id' is '\\ud800'; allowed: a text." in shares.refused[half]
