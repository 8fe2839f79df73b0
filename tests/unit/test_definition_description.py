"""A definition as plain data says what a report is, and nothing that is secret (F8)."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

import pytest

from reporting.definition.daily import Daily
from reporting.definition.delivery import AlertByEmail, AlertBySlack, Email
from reporting.definition.description import description_of, schedule_in
from reporting.definition.monthly import Monthly
from reporting.definition.params import Param
from reporting.definition.report import Report
from reporting.definition.schedule import Schedule
from reporting.definition.starts import OnSchedule, Start, UpstreamEvent
from tests.specimens import (
    a_job_source,
    a_message_source,
    a_report,
    a_source,
    an_http_source,
    an_s3_source,
)

pytestmark = pytest.mark.unit
SECRET = "s3cr3t"


def test_it_is_json_and_survives_it() -> None:
    found = description_of(a_report(deliver=[Email(["a@b.test"])], alerts=[AlertBySlack("chat")]))
    assert json.loads(json.dumps(found)) == found
    assert found["sources"][0]["name"] == "orders"
    assert found["deliver"][0]["to"] == ["a@b.test"]


@pytest.mark.parametrize(
    ("source", "asks"),
    [
        (a_source(sql=f"SELECT '{SECRET}'"), None),
        (an_http_source(query={"key": SECRET}), "/v1/orders"),
        (a_job_source(request={"key": SECRET}), "/jobs"),
        (a_message_source(request={"key": SECRET}), "orders.lookup"),
        (an_s3_source(), "orders.csv"),
    ],
)
def test_f8_what_could_hide_a_secret_stays_out(source: object, asks: str | None) -> None:
    found = description_of(a_report(sources=[source]))
    assert found["sources"][0]["asks"] == asks
    assert SECRET not in json.dumps(found)


def test_f8_the_default_of_a_password_stays_out() -> None:
    password = Param(SECRET, more={"format": "password"})
    assert SECRET not in json.dumps(description_of(a_report(params={"password": password})))


@pytest.mark.parametrize(
    "schedule",
    [
        Daily("06:00", "Asia/Shanghai"),
        Daily("23:59", "America/New_York", end=date(2030, 1, 1)),
        Monthly("06:00", "Europe/Berlin"),
        Monthly("06:00", "Europe/Berlin", day=15),
    ],
)
def test_a_schedule_read_back_names_the_same_periods(schedule: Schedule) -> None:
    read = schedule_in(description_of(a_report(schedule=schedule)))
    for day in (1, 15, 28):
        moment = datetime(2024, 3, day, 12, tzinfo=UTC)
        assert read.period_at(moment) == schedule.period_at(moment)
        assert read.period_starting_at(moment) == schedule.period_starting_at(moment)


def test_what_starts_it_is_told() -> None:
    starts = [OnSchedule(), UpstreamEvent("loaded", queue="events")]
    found = description_of(a_report(starts_on=starts))["starts_on"]
    assert found == [
        {"kind": "schedule"},
        {"kind": "event", "name": "loaded", "queue": "events"},
    ]


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        ([OnSchedule()], "monthly on day 15 at 06:00 Europe/Berlin"),
        ([UpstreamEvent("loaded")], "when event loaded arrives"),
        (
            [OnSchedule(), UpstreamEvent("loaded")],
            "monthly on day 15 at 06:00 Europe/Berlin; when event loaded arrives",
        ),
        ([], "only when somebody triggers it"),
    ],
)
def test_it_says_in_words_what_starts_it(starts: list[Start], words: str) -> None:
    schedule = Monthly("06:00", "Europe/Berlin", day=15)
    found = description_of(a_report(schedule=schedule, starts_on=starts))
    assert found["starts"] == words
    assert found["schedule"]["day"] == 15


def test_alerts_are_told_with_their_channel() -> None:
    report: Report = a_report(alerts=[AlertByEmail(["a@b.test"])])
    assert description_of(report)["alerts"] == [
        {"channel": "email", "to": ["a@b.test"], "conn_id": "smtp_default"}
    ]
