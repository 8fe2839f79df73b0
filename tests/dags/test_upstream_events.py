"""What Airflow makes of a report that starts on upstream events."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from embedded_stack.layout import CHECKOUT
from reporting import OnSchedule, UpstreamEvent
from reporting.airflow_edge.dag import build_dag
from tests.specimens import a_report

LOADED = UpstreamEvent("orders_loaded")
ANNOUNCED = UpstreamEvent("refunds_loaded", queue="refunds.loaded")


def stored(*starts_on: OnSchedule | UpstreamEvent) -> Any:
    """Return the DAG's timetable as the scheduler reads it back."""
    from airflow.serialization.serialized_objects import DagSerialization

    dag = build_dag(a_report(starts_on=starts_on))
    assert dag is not None
    text = json.dumps(DagSerialization.to_dict(dag))
    return DagSerialization.from_dict(json.loads(text)).timetable


def assets(timetable: Any) -> list[str]:
    return sorted(asset.name for _, asset in timetable.asset_condition.iter_assets())


def test_the_clock_alone_is_the_default() -> None:
    assert type(stored(OnSchedule())).__name__ == "CronDataIntervalTimetable"


def test_nothing_starts_a_report_that_only_people_start() -> None:
    assert type(stored()).__name__ == "NullTimetable"


def test_an_event_alone_starts_no_scheduled_run() -> None:
    timetable = stored(LOADED)
    assert type(timetable).__name__ == "AssetTriggeredTimetable"
    assert assets(timetable) == ["orders_loaded"]


def test_clock_and_event_both_start_runs() -> None:
    timetable = stored(OnSchedule(), LOADED)
    assert type(timetable).__name__ == "AssetOrTimeSchedule"
    assert timetable.periodic
    assert type(timetable.timetable).__name__ == "CronDataIntervalTimetable"


def test_any_of_several_events_starts_a_run() -> None:
    timetable = stored(LOADED, ANNOUNCED)
    assert assets(timetable) == ["orders_loaded", "refunds_loaded"]
    assert type(timetable.asset_condition).__name__ == "SerializedAssetAny"


def test_a_queue_is_watched_once_for_all_reports_that_name_it() -> None:
    from airflow.triggers.base import BaseEventTrigger

    def watcher(name: str) -> int:
        dag = build_dag(a_report(name=name, starts_on=[ANNOUNCED]))
        assert dag is not None
        timetable: Any = dag.timetable
        (found,) = timetable.asset_condition.watchers
        return BaseEventTrigger.hash(*found.trigger.serialize())

    assert watcher("sales") == watcher("returns")


PARSE = """
import sys
from airflow.sdk import DAG, BaseOperator, Param, TriggerRule, task
import airflow.timetables.interval
before = set(sys.modules)
from reporting import UpstreamEvent, OnSchedule
from reporting.airflow_edge.dag import build_dag
from tests.specimens import a_report
build_dag(a_report(starts_on=[OnSchedule(), UpstreamEvent("a", queue="a")]))
print("\\n".join(set(sys.modules) - before))
"""


def test_parsing_a_report_with_a_queue_imports_nothing_heavy() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", PARSE],
        capture_output=True,
        text=True,
        check=True,
        cwd=CHECKOUT,
        env={**os.environ, "PYTHONPATH": f"{CHECKOUT}/include:{CHECKOUT}"},
    ).stdout.splitlines()
    assert "reporting.airflow_edge.event_trigger" in loaded
    assert {"pika", "requests", "psycopg", "pandas", "sqlalchemy"}.isdisjoint(loaded)
