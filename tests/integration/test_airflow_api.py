"""Airflow's API as the command line and the janitor ask it, when it answers otherwise."""

from __future__ import annotations

import pytest

from reporting.core.airflow_api import AirflowApi
from reporting.errors import TerminalError
from tests.integration.scripted_service import Reply, Request, serving

pytestmark = pytest.mark.integration


def answer(request: Request) -> Reply:
    """Let anybody in, and show the page of the UI for everything else."""
    if request.path.endswith("/token"):
        return Reply(b'{"access_token": "t"}')
    return Reply(b"<!doctype html><title>Airflow</title>")


def test_an_airflow_without_the_plugin_is_named() -> None:
    """It answers 200 with the page of its UI."""
    with serving(answer) as service:
        api = AirflowApi(service.url, "ann", "-", root="/reports/api")
        with pytest.raises(TerminalError, match=r"/reports/api answers with no JSON: .* plugin"):
            api.get("reconciliation")
