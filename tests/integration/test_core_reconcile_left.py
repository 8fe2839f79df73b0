"""What ended runs leave is found and removed, what anybody may need is let be (R20)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from reporting.core.run import Run
from reporting.core.saga import compensate
from reporting.core.staging import Staging
from reporting.core.upload import CHUNK_BYTES, Upload
from tests.integration.reconciling import World

pytestmark = pytest.mark.integration


def stray_objects(world: World, run: Run) -> None:
    world.places.staging.put(f"{run.id.prefix}orders/dead/part-00000.parquet", b"x")


def open_upload(world: World, run: Run) -> None:
    upload = Upload(world.places.staging, f"{run.id.prefix}orders/dead/part-00000.parquet")
    upload.write(bytes(CHUNK_BYTES))
    upload.write(b"x")


def stray_file(world: World, run: Run) -> None:
    prefix = f"{run.id.report}/2024-05-01/{run.id.task_key}/0123456789ab/"
    world.places.reports.put(f"{prefix}{run.id.report}_x.csv", b"x")


LEFT: dict[str, tuple[Callable[[World, Run], None], str]] = {
    "objects": (stray_objects, "orphaned staging"),
    "upload": (open_upload, "orphaned staging"),
    "file": (stray_file, "orphaned files"),
}


@pytest.mark.parametrize("is_known", [True, False], ids=["ended", "vanished"])
@pytest.mark.parametrize("name", LEFT)
def test_what_no_run_accounts_for_is_removed_after_a_while(
    world: World, name: str, *, is_known: bool
) -> None:
    leave, kind = LEFT[name]
    run = world.starts("other run")
    compensate(world.places, run.id)
    world.places.warehouse.execute("DELETE FROM reporting.staged_run")
    (world.ends if is_known else world.vanishes)(run)
    leave(world, run)

    assert world.found(grace=timedelta(hours=1)) == []
    (found,) = world.found()
    assert (found.kind, found.run_id, found.rule) == (kind, "other run", "remove")
    assert world.repaired() == [found]

    assert list(world.places.staging.keys("")) == list(world.places.reports.keys("")) == []
    assert world.places.staging.abort_uploads("") == 0
    assert world.found() == []


@pytest.mark.parametrize("name", LEFT)
def test_of_a_run_that_is_noted_or_works_nothing_is_an_orphan(world: World, name: str) -> None:
    leave, _ = LEFT[name]
    run = world.starts()
    leave(world, run)
    assert world.found() == []

    world.places.warehouse.execute("DELETE FROM reporting.staged_run")
    world.places.warehouse.execute("DELETE FROM reporting.claim")
    assert world.found() == []  # Airflow says that it works

    world.ends(run)
    assert len(world.found()) == 1


def test_files_of_releases_stay_when_stray_ones_beside_them_go(world: World) -> None:
    run, release = world.publishes()
    world.places.warehouse.execute("DELETE FROM reporting.staged_run")
    stray_file(world, run)
    world.places.staging.delete(list(world.places.staging.keys("")))

    assert [one.found for one in world.repaired()] == ["1 objects more"]

    assert sorted(world.places.reports.keys("")) == sorted(release.files)


def test_files_of_a_green_run_whose_release_is_lost_are_not_removed(world: World) -> None:
    """The warehouse was put back to an earlier state: the files are all there is."""
    _, release = world.publishes()
    world.publishes("other")
    for table in ("current_release", "release", "staged_run"):
        query = f"DELETE FROM reporting.{table} WHERE report = %s"
        world.places.warehouse.execute(query.encode(), (world.report.name,))
    world.places.warehouse.execute(
        f"DROP TABLE results.{world.report.name}__totals__releases, "
        f"results.{world.report.name}__details__releases CASCADE".encode()
    )

    found = [one for one in world.found() if one.kind != "orphaned staging"]
    assert {(one.kind, one.rule) for one in found} == {("lost release", "decide")}
    assert sorted(str(one.run_id) for one in found) == ["other", "run"]
    world.repaired()

    assert set(release.files) <= set(world.places.reports.keys(""))
    assert found[0].advice == f"reports clear {world.report.name} {found[0].run_id} init"


FOREIGN = ["file.csv", "backup/2024/x/y/z.csv", "{}/readme.txt", "{}/a b/c/d", "_own/x/y/z"]


def test_what_others_keep_in_the_buckets_is_let_be(world: World) -> None:
    world.publishes()
    keys = [key.format(world.report.name) for key in FOREIGN]
    for bucket in (world.places.staging, world.places.reports):
        for key in keys:
            bucket.put(key, b"x")

    assert world.found() == []


def test_a_claim_of_an_ended_run_is_given_up(world: World) -> None:
    run = world.starts()
    world.places.warehouse.execute("DELETE FROM reporting.staged_run")
    assert world.found() == []
    world.ends(run)

    assert world.found(grace=timedelta(hours=1)) == []
    assert [(one.kind, one.rule) for one in world.repaired()] == [("claim", "release")]

    assert world.found() == []
    assert world.places.warehouse.execute("SELECT FROM reporting.claim").fetchall() == []


@pytest.mark.parametrize("is_known", [True, False], ids=["ended", "vanished"])
def test_a_run_that_ended_without_an_end_is_undone(world: World, *, is_known: bool) -> None:
    run = world.starts()
    world.fetches(run)
    stray_objects(world, run)
    assert world.found() == []
    (world.ends if is_known else world.vanishes)(run)

    done = world.repaired()

    assert {(one.kind, one.rule) for one in done} == {("claim", "release"), ("open run", "undo")}
    assert world.found() == []
    manifest = Staging(world.places.staging, run.id).manifest("orders")
    assert manifest is not None
    assert list(world.places.staging.keys(f"{run.id.prefix}orders/dead")) == []
