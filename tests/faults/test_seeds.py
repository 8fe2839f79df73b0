"""Fifteen seeds on a stack of their own: every kind of fault, and each check can fail there."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest

from embedded_stack import broker_api
from tests.e2e.live import eventually
from tests.faults.campaign import Campaign
from tests.faults.checks import breaches
from tests.faults.deployed import deployed
from tests.faults.drawing import ACTIONS, STACK, draw
from tests.faults.gathering import Gathering
from tests.faults.ground import Ground
from tests.faults.own import OWN
from tests.faults.plan import Action, Plan, StackFault, Strike
from tests.faults.points import CUT_OFF, DATABASE_ERROR, FATAL, KILL, STORE_AWAY, STORE_BUSY, TORN
from tests.faults.samples import SUBJECTS
from tests.faults.subject import Case

pytestmark = pytest.mark.e2e

SEEDS = (29, 58, 337, 399, 461, 517, 525, 699, 948, 1468, 1710, 2307, 2934, 3815, 3999)
PLANS = [draw(SUBJECTS, seed) for seed in SEEDS]
AT_ONCE = 6


@dataclass(frozen=True)
class Played:
    """The seeds, once they were played.

    Attributes:
        ground: the stack.
        campaign: what was played.
        broken: what was found, per seed.
    """

    ground: Ground
    campaign: Campaign
    broken: dict[int, list[str]]


@pytest.fixture(scope="module")
def played(ground: Ground) -> Played:
    campaign = Campaign(ground, PLANS, OWN.prepare, AT_ONCE, print)
    return Played(ground, campaign, campaign.run())


def test_no_invariant_is_broken(played: Played) -> None:
    assert played.broken == {}
    assert played.campaign.looks > len(SEEDS)


def test_the_seeds_have_every_kind_of_fault() -> None:
    faults = [fault for plan in PLANS for fault in plan.faults]

    assert {fault.what for fault in faults if isinstance(fault, Action)} == set(ACTIONS)
    assert {fault.what for fault in faults if isinstance(fault, StackFault)} == set(STACK)
    assert {strike.what for plan in PLANS for strike in plan.strikes} == {
        KILL, FATAL, STORE_AWAY, STORE_BUSY, TORN, DATABASE_ERROR, CUT_OFF,
    }  # fmt: skip
    assert {fault.task for plan in PLANS for fault in plan.service_faults} >= {
        "fetch_orders", "fetch_rates", "fetch_told", "fetch_dropped",
    }  # fmt: skip


def test_any_report_can_be_played_against_a_run_that_nothing_is_done_to(played: Played) -> None:
    trial = deployed("airline_on_time", date(2013, 1, 1), 300)
    (subject,) = trial.subjects(played.ground)
    plan = Plan(1, Case(subject.report, subject.period(1), 0), (Strike("store", "loaded", KILL),))
    campaign = Campaign(played.ground, [plan], trial.prepare, 1, print)

    assert {"fetch_flights", "fetch_planes"} <= set(subject.fetches)
    assert campaign.run() == {}
    found = Gathering(played.ground, trial.reports).gather()
    assert sorted(run.run_id for run in found.runs) == ["chaos_1", "chaos_1_before"]
    assert (
        len([one for one in found.releases if one.figures == campaign.expected[plan.case.key]]) == 2
    )


LAST = "(SELECT max(release_id) FROM reporting.current_release WHERE report = 'chaos_tables')"
ROWS = f"results.chaos_tables__rows__releases WHERE release_id = {LAST}"
IN_THE_WAREHOUSE = {
    "a row is lost": (1, f"DELETE FROM {ROWS} AND id = 1 AND source = 'orders'"),
    "no release is current": (
        2, f"DELETE FROM reporting.current_release WHERE release_id = {LAST}",
    ),
    "green without a release": (3, "UPDATE reporting.release SET run_id = run_id || ' of another'"),
    "nothing was compensated": (4, "DELETE FROM reporting.compensation"),
    "nobody was told": (4, "UPDATE reporting.receipt SET is_sent = false"),
    "a claim is left": (
        5, "INSERT INTO reporting.claim VALUES ('chaos_job', '2000-01-01-0', 'gone', now())",
    ),
}  # fmt: skip


def broken_now(gathering: Gathering, played: Played) -> set[int]:
    found = breaches(gathering.gather(), played.campaign.expected)
    return {breach.invariant for breach in found}


@pytest.fixture
def gathering(played: Played) -> Gathering:
    return Gathering(played.ground, OWN.reports)


@pytest.mark.parametrize("name", IN_THE_WAREHOUSE)
def test_what_is_broken_in_the_warehouse_is_found(
    played: Played, gathering: Gathering, name: str
) -> None:
    invariant, change = IN_THE_WAREHOUSE[name]
    with gathering.live.warehouse.transaction(force_rollback=True):
        gathering.live.warehouse.execute(change.encode())
        assert invariant in broken_now(gathering, played)

    assert invariant not in broken_now(gathering, played)


@pytest.mark.parametrize("bucket", ["staging", "reports"])
def test_an_object_and_an_open_upload_that_are_left_are_found(
    played: Played, gathering: Gathering, bucket: str
) -> None:
    place = {"Bucket": bucket, "Key": "chaos_job/2000-01-01/gone/part"}
    s3 = gathering.live.s3
    s3.put_object(**place, Body=b"left")
    assert 5 in broken_now(gathering, played)
    s3.delete_object(**place)

    upload = s3.create_multipart_upload(**place)["UploadId"]
    assert 5 in broken_now(gathering, played)
    s3.abort_multipart_upload(**place, UploadId=upload)

    assert 5 not in broken_now(gathering, played)


def test_a_job_that_nobody_ends_is_found(played: Played, gathering: Gathering) -> None:
    job = next(iter(played.ground.http.jobs.values()))
    before, job.state = job.state, ""
    assert 5 in broken_now(gathering, played)

    job.state = before
    assert 5 not in broken_now(gathering, played)


def test_a_reply_queue_that_is_left_is_found(played: Played, gathering: Gathering) -> None:
    layout, path = played.ground.stack.layout, "/queues/reports/reports.reply.left"
    broker_api.call(layout, "PUT", path, {"durable": True})
    eventually("the queue to be listed", lambda: 5 in broken_now(gathering, played))

    broker_api.call(layout, "DELETE", path)
    eventually("the queue to be gone", lambda: 5 not in broken_now(gathering, played))
