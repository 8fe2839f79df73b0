"""Cancelling what was never asked asks nobody: the connection may be what is missing."""

from __future__ import annotations

import pytest

from reporting.core.run import RunId
from reporting.core.service.request_record import RequestRecord


@pytest.mark.parametrize("way", ["message", "http"])
def test_a_request_that_was_never_sent_needs_no_connection(way: str) -> None:
    from reporting.airflow_edge.requests import canceller

    record = RequestRecord("planes", "0", 1, way, "no_such_connection", "2013-01-01T00:00:00+00:00")

    canceller(RunId("airline_on_time", "manual__1"))(record)


def test_one_that_was_sent_needs_its_connection() -> None:
    from reporting.airflow_edge.known_connection import NoConnectionError
    from reporting.airflow_edge.requests import canceller

    record = RequestRecord(
        "planes", "0", 1, "message", "no_such_connection", "2013-01-01T00:00:00+00:00", cancel="key"
    )
    with pytest.raises(NoConnectionError):
        canceller(RunId("airline_on_time", "manual__1"))(record)
