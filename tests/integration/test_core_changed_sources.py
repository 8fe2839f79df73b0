"""Between a run and a clear the sources of its report, or their shards, have changed (R25).

Whatever lies in the store from before, each source reads what its own fetch has staged, or is to
be fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from embedded_stack.stack import Stack
from reporting.core.fetch.snapshot import Connect
from reporting.core.inputs import Inputs
from reporting.core.origin import origin_of
from reporting.core.settled import settled_manifests
from reporting.core.staging import Staging
from reporting.definition.drops import S3Source
from reporting.definition.report import Report
from reporting.definition.shards import Shards
from reporting.errors import StagingGoneError
from tests.integration.own_database import SUPERUSER
from tests.integration.postgres_fetching import connecting, fetch_only, inputs_of
from tests.integration.staged_tables import COLUMNS, batch
from tests.specimens import a_report, a_run

pytestmark = pytest.mark.integration

ROWS = 500
# Each begins with another one's name, as in the keys of the store.
NAMES = ("e", "east", "east_2")


@pytest.fixture(scope="module")
def constants(stack: Stack) -> Connect:
    """Return what opens connections that only ask for constants."""
    return connecting(stack.dsn("postgres", SUPERUSER))


@pytest.mark.parametrize(
    "numbers", [(None, 2, 5), (16, 2, None), (2, None, 3), (3, 3, 16)], ids=str
)
def test_another_number_of_shards_leaves_no_part_of_the_one_before(
    staging: Staging, constants: Connect, numbers: tuple[int | None, ...]
) -> None:
    for turn, number in enumerate(numbers):
        shards = None if number is None else Shards(number, by="id")
        query = f"SELECT g AS id, 'turn {turn}' AS name FROM generate_series(1, {ROWS}) AS g"
        columns = {"id": "int32", "name": "text"}
        manifest = fetch_only(staging, constants, query, columns=columns, shards=shards)

        got = inputs_of(staging, manifest).table("orders").to_pylist()
        assert sorted(row["id"] for row in got) == list(range(1, ROWS + 1))
        assert {row["name"] for row in got} == {f"turn {turn}"}
        kept = {*manifest.keys, staging.manifest_key("orders")}
        assert set(staging.bucket.keys(staging.prefix("orders"))) == kept


def test_shards_of_a_fetch_that_was_killed_are_read_by_nobody(
    staging: Staging, constants: Connect
) -> None:
    killed = staging.attempt("orders", COLUMNS)
    attempt = killed.__enter__()
    for number in range(7):
        writer = attempt.open_writer()
        writer.write(batch(range(10), f"shard {number}"))
        writer.close()

    query = f"SELECT g::int8 AS id, 'new' AS name FROM generate_series(1, {ROWS}) AS g"
    manifest = fetch_only(staging, constants, query, shards=Shards(2, by="id"))

    assert set(inputs_of(staging, manifest).table("orders")["name"].to_pylist()) == {"new"}
    assert staging.discard_uncommitted("orders") == 7
    assert inputs_of(staging, manifest).table("orders").num_rows == ROWS


@pytest.fixture
def staged(staging: Staging) -> dict[str, S3Source]:
    """Return three sources, as they were declared when each staged a row that names its key."""
    sources = {name: source(name, f"{name}.csv") for name in NAMES}
    for each in sources.values():
        stage(staging, each)
    return sources


def source(name: str, key: str) -> S3Source:
    return S3Source(name, conn_id="landing", key=key, columns={"id": "int64", "name": "text"})


def stage(staging: Staging, its: S3Source) -> None:
    with staging.attempt(its.name, its.schema) as attempt:
        attempt.writer.write(batch([1], str(its.key)))
        attempt.commit({}, origin_of(its, Path(), a_run()))


def read(staging: Staging, report: Report) -> Iterator[tuple[str, str]]:
    """Yield the key that each source of a cleared compute step reads."""
    states: dict[str, str | None] = {each.task_id: "success" for each in report.sources}
    run = a_run()
    manifests = settled_manifests(report, run, states, {}, staging.manifest)
    schemas = {each.name: each.schema for each in report.sources}
    inputs = Inputs(run, staging.bucket, manifests, schemas)
    for each in report.sources:
        yield each.name, inputs.table(each.name)["name"].to_pylist()[0]


@pytest.mark.parametrize("order", permutations(NAMES), ids=str)
def test_each_reads_its_own_in_any_order_of_the_list(
    staging: Staging, staged: dict[str, S3Source], order: tuple[str, ...]
) -> None:
    report = a_report(sources=[staged[name] for name in order])

    assert list(read(staging, report)) == [(name, f"{name}.csv") for name in order]


@pytest.mark.parametrize("keys", [keys for keys in permutations(NAMES) if keys != NAMES], ids=str)
def test_names_that_are_given_to_other_sources_are_fetched_anew(
    staging: Staging, staged: dict[str, S3Source], keys: tuple[str, ...]
) -> None:
    """Each name is that of a source that was staged, and means another one now."""
    assert list(staged) == list(NAMES)
    now = [source(name, f"{key}.csv") for name, key in zip(NAMES, keys, strict=True)]
    changed = [name for name, key in zip(NAMES, keys, strict=True) if name != key]

    with pytest.raises(StagingGoneError) as refusal:
        list(read(staging, a_report(sources=now)))

    for name in NAMES:
        is_named = f"clear fetch_{name} with its downstream." in str(refusal.value)
        assert is_named == (name in changed)
    for each in now:
        if each.name in changed:
            stage(staging, each)
    assert list(read(staging, a_report(sources=now))) == [(each.name, each.key) for each in now]


def test_a_renamed_source_is_fetched_and_the_old_name_is_left_alone(
    staging: Staging, staged: dict[str, S3Source]
) -> None:
    report = a_report(sources=[staged["e"], source("ea", "east.csv")])

    with pytest.raises(
        StagingGoneError, match="Source 'ea' is not staged any more; clear fetch_ea"
    ):
        list(read(staging, report))
    stage(staging, source("ea", "east.csv"))
    assert dict(read(staging, report)) == {"e": "e.csv", "ea": "east.csv"}
    assert staging.sources() == ["e", "ea", "east", "east_2"]
