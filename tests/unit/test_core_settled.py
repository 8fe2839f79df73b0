"""What a cleared step may read: only what the sources of the report hold, as they are now (R25)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporting.core.alert_text import Failure
from reporting.core.completeness import Expected, outlook_on
from reporting.core.manifest import Manifest, Part
from reporting.core.origin import origin_of
from reporting.core.rerun_text import to_clear
from reporting.core.run import Run
from reporting.core.settled import settled_manifests
from reporting.core.states import fetch_task
from reporting.definition.report import Report
from reporting.definition.shards import Shards
from reporting.definition.source import Source
from reporting.definition.sources import PostgresSource
from reporting.errors import StagingGoneError
from tests.specimens import (
    BERLIN,
    a_job_source,
    a_message_source,
    a_report,
    a_run,
    a_source,
    an_http_source,
)

pytestmark = pytest.mark.unit

HERE = Path(__file__).parent
RUN = a_run()
States = dict[str, str | None]


def origin(of: Source, run: Run = RUN) -> str:
    return origin_of(of, HERE, run)


def source(name: str, sql: str = "SELECT 1", **changes: Any) -> PostgresSource:
    given: dict[str, Any] = {"columns": {"id": "int64 not null"}, **changes}
    return PostgresSource(name, "orders_db", sql, **given)


def manifest(of: Source, name: str | None = None) -> Manifest:
    """A source as it was staged; `name` is what it was called."""
    part = Part("key", 1, 1, "aa")
    name = name or of.name
    return Manifest(name, "attempt", (part,), of.schema, "", "", origin=origin(of))


def report(*sources: Source) -> Report:
    return a_report(sources=list(sources))


def settled(
    its: Report,
    staged: Mapping[str, Manifest],
    missing: Mapping[str, str] | None = None,
    run: Run = RUN,
    **states: str | None,
) -> Mapping[str, Manifest]:
    known: States = {source.task_id: "success" for source in its.sources}
    return settled_manifests(its, run, {**known, **states}, missing or {}, staged.get)


def told(its: Report, staged: Mapping[str, Manifest], **more: Any) -> list[str]:
    """The tasks to clear, as an alert names them."""
    with pytest.raises(StagingGoneError) as error:
        settled(its, staged, **more)
    reason = f"StagingGoneError: {error.value}"
    failure = Failure("Sales", "sales", "2024-05-01", "r", "compute", reason, (), False, "")
    return to_clear(failure)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (a_source(), a_source(sql="SELECT 2")),
        (a_source(), a_source(conn_id="other_db")),
        (an_http_source(), an_http_source(path="/v2/orders")),
        (an_http_source(), an_http_source(query={"all": "yes"})),
        (a_job_source(), a_job_source(request={"day": "{period}"})),
        (a_message_source(), a_message_source(queue="others")),
        (a_message_source(), a_job_source()),
    ],
)
def test_a_source_that_asks_for_something_else_has_another_origin(
    before: Source, now: Source
) -> None:
    assert origin(before) != origin(now)


def test_the_number_of_shards_and_limits_leave_the_origin_as_it_is() -> None:
    changes: list[dict[str, Any]] = [
        {"shards": Shards(2, "id")},
        {"shards": Shards(9, "name")},
        {"min_rows": 0, "pool": "small", "required": False},
    ]
    assert {origin(a_source(**change)) for change in changes} == {origin(a_source())}


def test_the_text_of_a_query_file_counts_and_not_its_name(tmp_path: Path) -> None:
    before = origin_of(a_source(sql="SELECT 1"), tmp_path, a_run())
    tmp_path.joinpath("orders.sql").write_text("SELECT 1")
    assert origin_of(a_source(sql="orders.sql"), tmp_path, a_run()) == before
    tmp_path.joinpath("orders.sql").write_text("SELECT 2")
    assert origin_of(a_source(sql="orders.sql"), tmp_path, a_run()) != before


def test_a_run_that_comes_to_mean_another_period_or_other_params_fetches_anew() -> None:
    """F21: a schedule or the default of a param may change between a run and a clear."""
    east = source("east")
    staged, its = {"east": manifest(east)}, report(east)
    later = BERLIN.period_of_day(RUN.period.first_day + timedelta(1))

    for run in (replace(RUN, period=later), replace(RUN, params={"carrier": "UA"})):
        assert told(its, staged, run=run) == ["fetch_east"]


def test_two_sources_that_swap_names_are_both_to_be_fetched() -> None:
    before = report(source("east", "SELECT 1"), source("west", "SELECT 2"))
    staged = {each.name: manifest(each) for each in before.sources}
    now = report(source("west", "SELECT 1"), source("east", "SELECT 2"))

    assert told(now, staged) == ["fetch_west", "fetch_east"]


def test_the_order_of_the_sources_is_of_no_account() -> None:
    sources = [source("east", "SELECT 1"), source("west", "SELECT 2")]
    staged = {each.name: manifest(each) for each in sources}

    assert settled(report(*reversed(sources)), staged) == staged


def test_a_renamed_source_has_nothing_staged() -> None:
    staged = {"east": manifest(source("east"))}

    assert told(report(source("north")), staged) == ["fetch_north"]


names = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4, unique=True)
queries = st.integers(1, 3)


@given(
    before=st.dictionaries(st.sampled_from("abcd"), queries, min_size=1), now=names, data=st.data()
)
def test_no_list_of_sources_gives_one_the_data_of_another(
    before: dict[str, int], now: list[str], data: st.DataObject
) -> None:
    """Any change of list, order and queries: each source reads its own, or is to be fetched."""
    staged = {name: manifest(source(name, f"SELECT {n}")) for name, n in before.items()}
    asked = {name: data.draw(queries) for name in now}
    its = report(*(source(name, f"SELECT {n}") for name, n in asked.items()))
    strange = [fetch_task(name) for name in now if before.get(name) != asked[name]]

    if strange:
        assert sorted(told(its, staged)) == sorted(strange)
    else:
        assert settled(its, staged) == {name: staged[name] for name in now}


def test_f13_every_source_that_is_gone_is_named_at_once() -> None:
    its = report(source("east"), source("west"), source("north"))

    assert told(its, {"west": manifest(source("west"))}) == ["fetch_east", "fetch_north"]


@pytest.mark.parametrize(
    "state", [None, "scheduled", "queued", "running", "deferred", "up_for_retry"]
)
def test_a_fetch_that_was_cleared_without_the_step_that_waits_is_waited_for(
    state: str | None,
) -> None:
    """The data staged before is still there, and is not what the fetch will bring."""
    east = source("east")

    assert told(report(east), {"east": manifest(east)}, fetch_east=state) == ["await_sources"]


def test_a_cleared_fetch_that_has_failed_does_not_leave_its_older_data_in_force() -> None:
    east = source("east")

    assert told(report(east), {"east": manifest(east)}, fetch_east="failed") == ["fetch_east"]


def test_an_optional_source_that_has_come_since_is_not_left_out() -> None:
    """As "clear only failed" in Airflow does it with a failed optional source."""
    east, west = source("east"), source("west", required=False)
    staged = {"east": manifest(east), "west": manifest(west)}
    gone = {"west": "HTTP 500"}

    assert told(report(east, west), staged, missing=gone) == ["await_sources"]
    assert told(report(east, west), staged, missing=gone, fetch_west=None) == ["await_sources"]


def test_an_optional_source_that_failed_stays_left_out() -> None:
    east, west = source("east"), source("west", required=False)
    staged = {"east": manifest(east)}

    found = settled(report(east, west), staged, {"west": "HTTP 500"}, fetch_west="failed")

    assert found == staged


outcomes = st.sampled_from(["success", "failed", "running", None])


@given(st.lists(st.tuples(outcomes, st.booleans(), st.booleans()), min_size=1, max_size=4))
def test_what_await_sources_lets_pass_is_settled_right_after(
    drawn: list[tuple[str | None, bool, bool]],
) -> None:
    """A run that nobody clears is never refused."""
    sources = [source(f"s{n}", required=required) for n, (_, required, _) in enumerate(drawn)]
    states: States = {f"fetch_s{n}": state for n, (state, *_) in enumerate(drawn)}
    staged = {
        s.name: manifest(s) for s, (*_, is_there) in zip(sources, drawn, strict=True) if is_there
    }
    expected = [Expected(s.name, s.required, s.min_rows) for s in sources]
    outlook = outlook_on(expected, states, staged.get)
    if not outlook.is_complete:
        return

    found = settled_manifests(report(*sources), a_run(), states, outlook.missing, staged.get)

    assert set(found) == {s.name for s in sources} - set(outlook.missing)
