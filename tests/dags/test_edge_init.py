"""Which runs make a new version of what is published, and what the form asks about it (R15)."""

from __future__ import annotations

from datetime import date

import pytest

from reporting.airflow_edge.dag import build_dag
from reporting.airflow_edge.steps.init import makes_new_version
from tests.integration.edge_context import context_of
from tests.specimens import a_report, a_run

HOW = ("scheduled", "backfill", "asset_triggered", "operator_triggered", "manual")


@pytest.mark.parametrize("run_type", HOW)
@pytest.mark.parametrize("clear_number", [0, 1])
@pytest.mark.parametrize("refresh", [False, True])
def test_only_a_plain_trigger_by_hand_makes_none(
    run_type: str, clear_number: int, refresh: bool
) -> None:
    run = a_run(day=date(2024, 5, 1), clear_number=clear_number)
    context = context_of(run.id)
    context["dag_run"].run_type = run_type
    context["params"]["refresh"] = refresh

    is_plain = (run_type, clear_number, refresh) == ("manual", 0, False)
    assert makes_new_version(run, context) is not is_plain


def test_every_form_asks_last_whether_to_make_a_new_version() -> None:
    dag = build_dag(a_report())
    assert dag is not None
    assert list(dag.params)[-1] == "refresh"
    asked = dag.params.get_param("refresh")

    assert (asked.value, asked.schema["type"]) == (False, "boolean")
    assert asked.schema["title"] == "Make a new version"
    assert "published as the next version" in str(asked.description)
