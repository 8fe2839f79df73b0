"""What is wrong with a request is told in plain sentences that say what is allowed."""

import re
from typing import Annotated, Any

import pytest

PYTHON = re.compile(r"\^|\\|\bb'|ValueError|Input should|dictionary|None|\[\]")
JSON = {"content-type": "application/json"}
DAY_OR_MONTH = "allowed: a day such as 2013-07-04, or a month such as 2013-07."
STATES = (
    "INIT, FETCHING_DATA, FETCHING_DATA_<SOURCE>, DATA_AGGREGATED, CALCULATING, STORING_RESULT, "
    "SUCCESS, COMPENSATING, FAILED"
)
HOW = "ui, rest_api, cli, timetable, asset, backfill, operator or test"
SHORT = "allowed: at most 250 characters"
NEXT = "take `next_cursor` of the page before, or leave it out"
AS_JSON = "allowed: a JSON object, sent with the header `Content-Type: application/json`."


@pytest.fixture(scope="module")
def client() -> Any:
    from fastapi import FastAPI, Query
    from starlette.testclient import TestClient

    from report_center.api.run_routes import RunsAsked
    from report_center.api.trigger_models import Trigger
    from reporting.airflow_edge.web_problems import tell_problems

    app = FastAPI(openapi_url=None)
    tell_problems(app)

    @app.get("/runs")
    def list_runs(asked: Annotated[RunsAsked, Query()]) -> None:
        """Take what the API takes."""

    @app.post("/runs")
    def trigger(asked: Trigger) -> None:
        """Take what the API takes."""

    return TestClient(app)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("state=purple", f'state "purple" is no state; allowed: {STATES}.'),
        ("period_from=2013-7-9", f'period_from "2013-7-9" is no period; {DAY_OR_MONTH}'),
        ("period_to=2013-02-30", f'period_to "2013-02-30" is no period; {DAY_OR_MONTH}'),
        ("period_to=20130230", f'period_to "20130230" is no period; {DAY_OR_MONTH}'),
        ("limit=x", 'limit "x" is not allowed; allowed: a whole number.'),
        ("limit=0", 'limit "0" is not allowed; allowed: 1 or more.'),
        ("limit=900", 'limit "900" is not allowed; allowed: 200 or less.'),
        ("how=else", f'how "else" is not allowed; allowed: {HOW}.'),
        (f"report={'x' * 300}", f'report "{"x" * 40}…" is not allowed; {SHORT}.'),
        ("report=%00", "report is not allowed; allowed: text without the character NUL."),
        ("cursor=x", f'cursor "x" is no cursor; {NEXT}.'),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_what_is(
    client: Any, query: str, said: str
) -> None:
    answer = client.get(f"/runs?{query}")
    assert (answer.status_code, answer.json()["detail"]) == (422, said)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"content": b"{bad", "headers": JSON}, "The body is no JSON: Expecting property name"),
        ({}, f"The body is missing; {AS_JSON}"),
        ({"content": b'{"a": 1}'}, f"The body was not sent as JSON; {AS_JSON}"),
        ({"data": {"a": 1}}, f"The body was not sent as JSON; {AS_JSON}"),
        ({"json": [1]}, f"The body is no JSON object; {AS_JSON}"),
        (
            {"json": {"perod": "2013-07-04"}},
            "Field perod is unknown; allowed: params, period, refresh. Did you mean 'period'?",
        ),
        ({"json": {"params": [1]}}, "params is not allowed; allowed: a JSON object."),
        ({"json": {"refresh": "x"}}, 'refresh "x" is not allowed; allowed: true or false.'),
        ({"json": {"period": 3}}, 'period "3" is not allowed; allowed: a text.'),
    ],
)
def test_a_body_that_cannot_be_used_is_told_how_to_be_sent(
    client: Any, how: dict[str, Any], said: str
) -> None:
    answer = client.post("/runs", **how)
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert detail.startswith(said)
    assert not PYTHON.search(detail)
