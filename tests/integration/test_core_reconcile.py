"""Each difference made by hand is found, named, and repaired or left by its rule (R20)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from reporting.core.reconcile.difference import Scope
from reporting.core.reconcile.passes import reconcile
from reporting.core.result import PREFIX
from reporting.core.run import Run
from reporting.core.saga import compensate
from reporting.core.staging import Staging
from reporting.core.warehouse.release import Release
from tests.integration.reconciling import LATER, World

pytestmark = pytest.mark.integration


def test_after_a_good_run_nothing_differs(world: World) -> None:
    world.publishes()

    assert world.found() == []
    assert world.found(days=1, report=world.report.name, run_id="run") == []


def staged(world: World, run: Run, source: str = "orders") -> list[str]:
    manifest = Staging(world.places.staging, run.id).manifest(source)
    assert manifest is not None
    return [part.key for part in manifest.parts]


def source_counted_more(world: World, _run: Run, _release: Release) -> None:
    world.places.warehouse.execute(
        "UPDATE reporting.release SET sources = jsonb_set(sources, '{orders,expected_rows}', '4')"
    )


def staged_more(world: World, run: Run, _release: Release) -> None:
    staging = Staging(world.places.staging, run.id)
    manifest = staging.manifest("orders")
    assert manifest is not None
    more = replace(manifest, parts=(replace(manifest.parts[0], rows=9),))
    world.places.staging.put(staging.manifest_key("orders"), more.to_bytes())


def staged_part_gone(world: World, run: Run, _release: Release) -> None:
    world.places.staging.delete(staged(world, run))


def staged_part_cut(world: World, run: Run, _release: Release) -> None:
    world.places.staging.put(staged(world, run, f"{PREFIX}details")[0], b"cut")


def manifest_broken(world: World, run: Run, _release: Release) -> None:
    key = Staging(world.places.staging, run.id).manifest_key("orders")
    world.places.staging.put(key, b"{")


def computed_more(world: World, run: Run, _release: Release) -> None:
    staging = Staging(world.places.staging, run.id)
    manifest = staging.manifest(f"{PREFIX}totals")
    assert manifest is not None
    more = replace(manifest, parts=(replace(manifest.parts[0], rows=9),))
    world.places.staging.put(staging.manifest_key(f"{PREFIX}totals"), more.to_bytes())


def row_deleted(world: World, _run: Run, _release: Release) -> None:
    table = f"results.{world.report.name}__totals__releases"
    world.places.warehouse.execute(f"DELETE FROM {table} WHERE id = 1".encode())


def table_dropped(world: World, _run: Run, _release: Release) -> None:
    table = f"results.{world.report.name}__totals__releases"
    world.places.warehouse.execute(f"DROP TABLE {table} CASCADE".encode())


def file_gone(world: World, _run: Run, release: Release) -> None:
    world.places.reports.delete([release.files[0]])


def file_cut(world: World, _run: Run, release: Release) -> None:
    world.places.reports.put(release.files[0], b"cut")


def file_changed(world: World, _run: Run, release: Release) -> None:
    body = world.places.reports.get(release.files[0])
    assert body is not None
    world.places.reports.put(release.files[0], body.replace(b"row 1", b"row 7"))


DAMAGES: dict[str, tuple[Callable[[World, Run, Release], None], str, str, str, str]] = {
    "source": (source_counted_more, "source count", "4 rows", "3 rows", "fetch_orders"),
    "staged": (staged_more, "staged rows", "3 rows in", "9 rows staged", "fetch_orders"),
    "part gone": (staged_part_gone, "staged object", "bytes", "none", "fetch_orders"),
    "part cut": (staged_part_cut, "staged object", "bytes", "3 bytes", "compute"),
    "manifest": (manifest_broken, "staged object", "a manifest", "none that", "fetch_orders"),
    "computed": (computed_more, "computed rows", "9 rows computed", "3 rows in", "compute"),
    "row": (row_deleted, "published rows", "3 rows", "2 rows", "store"),
    "table": (table_dropped, "published rows", "3 rows", "no such table", "store"),
    "file gone": (file_gone, "file", "bytes", "none", "store"),
    "file cut": (file_cut, "file", "bytes", "3 bytes", "store"),
    "file changed": (file_changed, "file", "SHA-256", "SHA-256", "store"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_to_a_release_is_named_and_left_to_a_person(world: World, name: str) -> None:
    damage, kind, expected, got, task = DAMAGES[name]
    run, release = world.publishes()
    damage(world, run, release)

    (found,) = world.found()

    assert (found.kind, found.report, found.run_id) == (kind, world.report.name, "run")
    assert expected in found.expected
    assert got in found.found
    assert found.rule == "decide"
    assert found.advice == f"reports clear {world.report.name} run {task}"
    assert world.repaired() == []
    assert world.found() == [found]


def test_damage_is_mended_by_running_again(world: World) -> None:
    run, release = world.publishes()
    file_gone(world, run, release)
    assert world.kinds() == ["file"]

    world.stores(world.starts(clear_number=1))
    world.ends(run)

    assert world.found() == []


def test_a_file_written_anew_with_the_same_bytes_is_no_difference(world: World) -> None:
    """As after a restore, which gives every object another ETag."""
    _, release = world.publishes()
    world.places.warehouse.execute(
        'UPDATE reporting.release SET file_facts = replace(file_facts::text, \'"etag": "\', '
        '\'"etag": "other\')::jsonb'
    )

    assert world.found() == []
    assert release.files


def test_a_release_from_before_file_facts_and_attempts_were_kept_is_compared_by_what_it_has(
    world: World,
) -> None:
    run, release = world.publishes()
    world.places.warehouse.execute(
        "UPDATE reporting.release SET file_facts = '{}', sources = sources #- '{orders,attempt}'"
    )
    staged_more(world, run, release)
    assert world.found() == []

    file_gone(world, run, release)

    assert world.kinds() == ["file"]


def test_when_staged_data_is_past_its_time_the_rest_is_still_compared(world: World) -> None:
    run, release = world.publishes()
    world.places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")
    assert [(one.kind, one.rule) for one in world.repaired()] == [("expired staging", "remove")]
    assert list(world.places.staging.keys("")) == []
    assert world.found() == []

    row_deleted(world, run, release)

    (found,) = world.found()
    assert found.advice == f"reports clear {world.report.name} run init"


def test_a_source_fetched_anew_or_computed_anew_after_the_publish_is_no_difference(
    world: World,
) -> None:
    run, _ = world.publishes()
    world.fetches(run, {"more": True})
    world.computes(run)

    assert world.found() == []


def test_a_later_life_that_staged_less_after_all_was_removed_is_no_difference(
    world: World,
) -> None:
    world.publishes()
    world.places.warehouse.execute("UPDATE reporting.staged_run SET keep_until = now()")
    assert len(world.repaired()) == 1
    run = world.starts(clear_number=1)
    world.fetches(run)
    compensate(world.places, run.id)
    world.ends(run)

    assert world.found() == []


def test_rows_of_a_release_that_is_not_known_are_named(world: World) -> None:
    run, release = world.publishes()
    world.stores(world.starts(clear_number=1))
    world.ends(run)
    world.places.warehouse.execute(
        "DELETE FROM reporting.release WHERE release_id = %s", (release.release_id,)
    )
    world.places.reports.delete(list(release.files))

    found = world.found()

    names = [f"results.{world.report.name}__{table}__releases" for table in ("details", "totals")]
    assert [one.what for one in found] == [f"{n}, release {release.release_id}" for n in names]
    assert {(one.kind, one.found, one.rule) for one in found} == {
        ("unknown release", "none, and 3 rows", "decide")
    }
    for one in found:
        world.places.warehouse.execute(one.advice.encode())
    assert world.found() == []


def test_only_what_is_in_scope_is_looked_at(world: World) -> None:
    run, release = world.publishes()
    file_gone(world, run, release)

    assert world.kinds(report=world.report.name) == ["file"]
    assert world.kinds(report="other") == []
    assert world.kinds(run_id="run") == ["file"]
    assert world.kinds(run_id="other") == []
    world.places.warehouse.execute(
        "UPDATE reporting.release SET published_at = now() - interval '3 days'"
    )
    assert world.kinds(days=4) == ["file"]
    assert world.kinds(days=2) == []


def test_one_thing_that_cannot_be_looked_at_hides_nothing_else(world: World) -> None:
    run, release = world.publishes()
    file_gone(world, run, release)
    broken = replace(world.here, standing_of=_away)

    findings = reconcile(broken, Scope(grace=LATER))

    assert [one.kind for one in findings.differences] == ["file"]
    assert any("Airflow is away" in fault for fault in findings.unseen)


def _away(_: object) -> None:
    raise ConnectionError("Airflow is away")
