"""What a report may start on."""

from __future__ import annotations

from typing import Any

import pytest

from reporting import NoticeBySlack, OnSchedule, UpstreamEvent
from reporting.errors import DefinitionError
from tests.specimens import a_report

pytestmark = pytest.mark.unit


def test_a_report_starts_on_its_schedule_unless_it_says_otherwise() -> None:
    assert a_report().starts_on == (OnSchedule(),)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"starts_on": ["orders_loaded"]}, "allowed: OnSchedule() or UpstreamEvent(...)"),
        ({"starts_on": [OnSchedule(), OnSchedule()]}, "'OnSchedule()' is declared twice"),
        (
            {"starts_on": [UpstreamEvent("loaded"), UpstreamEvent("loaded", queue="q")]},
            "starts_on 'loaded' is declared twice",
        ),
        ({"notices": [NoticeBySlack(), NoticeBySlack()]}, "notices 'slack_default' is declared"),
        ({"notices": ["#reports"]}, "notices[0]='#reports'; allowed: NoticeBySlack(...)"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], named: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        a_report(**changes)
    assert named in str(refusal.value)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"name": "Orders loaded"}, "'Orders loaded' is not a valid name"),
        (
            {"name": "a", "queue": "amq.gen"},
            "UpstreamEvent 'a': queue='amq.gen'; allowed: one line",
        ),
        ({"name": "a", "queue": " "}, "queue=' '"),
        ({"name": "a", "queue": "q" * 256}, "up to 255 bytes"),
        ({"name": "a", "conn_id": ""}, "conn_id=''"),
    ],
)
def test_an_event_has_names_that_are_some(given: dict[str, Any], named: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        UpstreamEvent(**given)
    assert named in str(refusal.value)
