"""Versions rolled back or withdrawn, dead letters settled: on pages and over the API."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from embedded_stack.stack import Stack
from tests.integration.acting_site import (
    LOG,
    Served,
    acting,
    hidden_in,
    letters,
    place_of,
    text_of,
)
from tests.integration.center_site import OURS


@pytest.fixture(scope="module")
def served(stack: Stack) -> Iterator[Served]:
    with acting(stack) as found:
        yield found


def versions(served: Served, period: str) -> list[int]:
    """Publish three versions of a period and return their ids; readers see the last."""
    found = [
        served.in_warehouse(
            "INSERT INTO reporting.release (report, period, request_key, version, params, "
            "is_default, run_id, clear_number, started, fingerprint, row_counts, sources, missing, "
            "files) VALUES (%s, %s, %s, %s, '{}', true, 'r' || %s, 0, %s, 'f', '{}', '{}', '{}', "
            "'[]') RETURNING release_id",
            *(OURS, period, f"{period}-k", version, version, period),
        )[0][0]
        for version in (1, 2, 3)
    ]
    with psycopg.connect(served.known.warehouse, autocommit=True) as warehouse:
        warehouse.execute(
            "INSERT INTO reporting.current_release VALUES (%s, %s, %s)",
            (OURS, f"{period}-k", found[-1]),
        )
    return found


def seen(served: Served, period: str) -> list[int]:
    query = (
        "SELECT release_id FROM reporting.current_release WHERE report = %s AND request_key = %s"
    )
    return [row[0] for row in served.in_warehouse(query, OURS, f"{period}-k")]


def test_readers_are_rolled_back_and_the_second_who_presses_is_told(served: Served) -> None:
    first, second, third = versions(served, "2023-01-01")
    page = served.get(f"report/{OURS}")
    assert f'href="/reports/releases/{first}/roll-back">Roll back to this</a>' in page.text
    assert f'href="/reports/releases/{third}/withdraw">Withdraw</a>' in page.text

    asked = served.get(f"releases/{first}/roll-back")
    assert "Readers see version 1 instead of version 3." in text_of(asked)
    fields = hidden_in(asked)
    assert fields == {"seen": str(third)}
    late = hidden_in(served.get(f"releases/{second}/roll-back"))
    assert place_of(served.post(f"releases/{first}/roll-back", **fields)) == (
        f"/reports/report/{OURS}?done=roll_back"
    )
    assert seen(served, "2023-01-01") == [first]
    told = served.post(f"releases/{second}/roll-back", "admin", **late)
    assert told.status_code == 409
    assert "changed meanwhile: they see version 1 now" in text_of(told)
    assert seen(served, "2023-01-01") == [first]
    assert ("op", "roll_back", None) in served.rows(LOG, OURS)
    assert "Make current" in served.get(f"report/{OURS}").text


def test_a_version_is_withdrawn_and_shown_again_over_the_api(served: Served) -> None:
    first, _, third = versions(served, "2023-01-02")
    gone = served.send(f"releases/{third}/withdraw", seen=third)
    assert (gone.status_code, gone.json()["is_current"]) == (200, False)
    assert seen(served, "2023-01-02") == []
    assert served.send(f"releases/{third}/withdraw").status_code == 409
    asked = served.get(f"releases/{first}/roll-back")
    assert "now they see nothing of this period" in text_of(asked)
    shown = served.send(f"releases/{first}/roll-back", seen=0)
    assert (shown.status_code, shown.json()["is_current"]) == (200, True)
    assert served.send("releases/999999/roll-back").status_code == 404


def test_of_many_who_withdraw_at_once_one_does(served: Served) -> None:
    third = versions(served, "2023-01-03")[-1]

    def press(number: int) -> int:
        user = ("op", "admin", "user")[number % 3]
        return int(served.post(f"releases/{third}/withdraw", user, seen=third).status_code)

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(press, range(6))) == [303, 409, 409, 409, 409, 409]


def test_what_would_change_nothing_is_not_even_asked(served: Served) -> None:
    first, _, third = versions(served, "2023-01-04")
    already = served.get(f"releases/{third}/roll-back")
    assert (already.status_code, "is what readers see already" in text_of(already)) == (409, True)
    assert served.get(f"releases/{first}/withdraw").status_code == 409
    assert served.get("releases/999999/withdraw").status_code == 404


def test_several_letters_are_named_before_anything_is_done(served: Served) -> None:
    first, second = letters(served, 2)
    listed = served.get("dead-letters").text
    assert f'name="number" value="{first}"' in listed
    assert '<button name="action" value="replay">Replay</button>' in listed
    query = f"number={first}&number={second}"
    asked = served.get(f"dead-letters/several?action=discard&{query}")
    assert "Discard 2 dead letters" in text_of(asked)
    assert f"letter {second} ({OURS}, orders, queue q) is removed" in text_of(asked)
    away = served.post("dead-letters/several", action="discard", number=[first, second])
    assert away.status_code == 503
    waiting = "SELECT count(*) FROM reporting.dead_letter WHERE state = 'waiting' AND report = %s"
    assert served.in_warehouse(waiting, OURS) == [(2,)]


def test_letters_that_were_settled_meanwhile_are_told_each(served: Served) -> None:
    first, second = letters(served, 2)
    served.in_warehouse(
        "UPDATE reporting.dead_letter SET state = 'replayed' WHERE dead_letter_id = ANY(%s) "
        "RETURNING 1",
        [first, second],
    )
    answer = served.post("dead-letters/several", action="discard", number=[first, second])
    assert answer.status_code == 409
    for number in (first, second):
        assert f"Dead letter {number} was replayed already." in text_of(answer)


def test_nothing_chosen_and_nonsense_change_nothing(served: Served) -> None:
    for answer in (
        served.get("dead-letters/several?action=replay"),
        served.post("dead-letters/several", action="replay", number=["x", "-1", "9" * 40, ""]),
    ):
        assert place_of(answer) == "/reports/dead-letters?done=none_chosen"
    assert served.get("dead-letters/several?action=else&number=1").status_code == 422
    assert served.get("dead-letters/several?number=999999").status_code == 404
