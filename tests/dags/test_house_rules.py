"""What holds for every DAG of the project; none can be forgotten and none can vanish."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from tests.dags.conftest import DAG_FILES, load

if TYPE_CHECKING:
    from airflow.sdk import DAG

# One DAG a file, named like it; a report of your own is held to the same rules.
DAG_IDS = [path.stem for path in DAG_FILES]
OURS = {"airline_on_time", "exchange_rates", "report_janitor"}


def all_dags() -> dict[str, DAG]:
    """Return every DAG that the DAG files define."""
    from airflow.sdk import DAG

    found = [
        value for path in DAG_FILES for value in vars(load(path)).values() if isinstance(value, DAG)
    ]
    return {dag.dag_id: dag for dag in found}


def test_exactly_these_dags() -> None:
    assert sorted(all_dags()) == DAG_IDS
    assert set(DAG_IDS) >= OURS


@pytest.mark.parametrize("dag_id", DAG_IDS)
def test_dag_rules(dag_id: str) -> None:
    dag = all_dags()[dag_id]
    assert dag.description
    assert dag.tags
    assert dag.catchup is False
    assert dag.dagrun_timeout is not None
    assert dag.start_date is None or dag.start_date.tzinfo is not None


@pytest.mark.parametrize("dag_id", DAG_IDS)
def test_task_rules(dag_id: str) -> None:
    dag = all_dags()[dag_id]
    limit = dag.dagrun_timeout or timedelta(0)
    for task in dag.tasks:
        assert task.owner not in ("", "airflow"), task.task_id
        assert task.retries is not None
        assert task.retries >= 1, task.task_id
        assert task.execution_timeout is not None, task.task_id
        assert timedelta(0) < task.execution_timeout <= limit, task.task_id


def test_a_report_has_the_graph_of_the_design() -> None:
    dag = all_dags()["airline_on_time"]
    arrows = {task.task_id: task.downstream_task_ids for task in dag.tasks}
    fetches = {"fetch_flights", "fetch_weather", "fetch_planes", "fetch_airlines"}
    assert arrows["init"] == {*fetches, "compute", "compensate"}
    for fetch in fetches:
        assert arrows[fetch] == {"await_sources", "compensate"}
    assert arrows["await_sources"] == {"compute", "compensate"}
    assert arrows["compute"] == {"store", "compensate"}
    assert arrows["store"] == {"deliver", "compensate"}
    assert arrows["deliver"] == arrows["compensate"] == set()


def test_a_clean_up_leaf_cannot_hide_a_failure() -> None:
    """F11: nothing is a teardown, and compensate is not above deliver."""
    dag: Any = all_dags()["airline_on_time"]
    assert not [task.task_id for task in dag.tasks if task.is_teardown or task.is_setup]
    assert "compensate" not in dag.get_task("deliver").get_flat_relative_ids(upstream=True)
    assert dag.get_task("compensate").trigger_rule == "all_done"
