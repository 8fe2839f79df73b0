"""The report DAGs Airflow knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reporting.cli.broken_files import fitting_file
from reporting.cli.typed import command
from reporting.core.airflow_api import EVERY_DAG, NotFoundError
from reporting.core.airflow_names import TAG
from reporting.errors import InputError, choices

if TYPE_CHECKING:
    from reporting.core.airflow_api import AirflowApi


def report_dags(api: AirflowApi) -> list[dict[str, Any]]:
    """Return every report DAG, by name."""
    return sorted(api.pages("dags", "dags", tags=TAG), key=lambda dag: str(dag["dag_id"]))


def report_dag(api: AirflowApi, name: str) -> dict[str, Any]:
    """Return one report DAG with its params.

    Raises:
        InputError: there is no such report, or its file is broken or gone.
    """
    dag = known_dag(api, name)
    if dag["is_stale"]:
        broken = _hint(api, name) if dag["has_import_errors"] else "It is gone."
        raise InputError(f"Report {name!r}: {dag['relative_fileloc']} is not in force. {broken}")
    return dag


def known_dag(api: AirflowApi, name: str) -> dict[str, Any]:
    """Return one report DAG, also when its file is broken or gone.

    Raises:
        InputError: Airflow has never heard of such a report.
    """
    try:
        dag = api.get(f"dags/{quote(name, safe='')}/details")
    except NotFoundError:
        dag = {}
    if TAG not in {tag["name"] for tag in dag.get("tags", ())}:
        known = tuple(str(dag["dag_id"]) for dag in report_dags(api))
        raise InputError(f"Report {name!r} is unknown; {choices(known, name)} {_hint(api, name)}")
    return dag


def known_run(api: AirflowApi, report: str, run_id: str) -> dict[str, Any]:
    """Return one run.

    Raises:
        InputError: the report has no such run.
    """
    try:
        return api.run(report, run_id)
    except NotFoundError:
        raise InputError(
            f"Report {report!r} has no run {run_id!r}; see each one's last run: {command()} list"
        ) from None


def report_of_run(api: AirflowApi, run_id: str) -> str:
    """Return the report that has a run of this id.

    Raises:
        InputError: no report has it, or several have.
    """
    reports = {str(dag["dag_id"]) for dag in report_dags(api)}
    runs = api.pages(f"dags/{EVERY_DAG}/dagRuns", "dag_runs", run_id_pattern=run_id)
    found = sorted(
        str(run["dag_id"])
        for run in runs
        if run["dag_run_id"] == run_id and run["dag_id"] in reports  # the API matches patterns
    )
    if not found:
        raise InputError(
            f"No report has a run {run_id!r}; see each one's last run: {command()} list"
        )
    if len(found) > 1:
        raise InputError(
            f"Several reports have a run {run_id!r}: add --report, {choices(found, '')}"
        )
    return found[0]


def unpause(api: AirflowApi, name: str) -> None:
    """Let the report run, by hand and on its schedule."""
    api.patch(f"dags/{quote(name, safe='')}", {"is_paused": False})


def run_url(api: AirflowApi, report: str, run_id: str) -> str:
    """Return the address of the run's page in Airflow."""
    return f"{api.base_url}/dags/{quote(report, safe='')}/runs/{quote(run_id, safe='')}"


def _hint(api: AirflowApi, name: str) -> str:
    broken = fitting_file(api, name)
    if broken is not None:
        return f"Airflow cannot read {broken.file}: {broken.message}"
    return "A new file is not seen at once: Airflow looks every few seconds, or minutes."
