"""Whatever is sent to the API, made from its own document, none of it ends in a fault (5xx)."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from tests.e2e.live import Live
from tests.e2e.test_routes_rights import bearer, logins

REPORT = "exchange_rates"
SECONDS = 30.0
MOST = 30  # requests of one route and kind
FAULT = 500
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
# Whoever sends what nobody has read must change nothing: a viewer may not.
CHANGING = ("/replay", "/discard", "/repair", "/rerun", "/cancel", "/roll-back", "/withdraw")
STEADILY = settings(
    max_examples=MOST, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module")
def tokens(live: Live) -> dict[str, str]:
    """Log every role in."""
    return logins(live)


@pytest.fixture(scope="module")
def known(live: Live) -> dict[str, Any]:
    """Values that are there, to get past the first look at an address."""
    run_id = live.run(REPORT, period="2013-02")
    ((release_id, files),) = live.rows(
        "SELECT release_id, files FROM reporting.release WHERE run_id = %s", run_id
    )
    name = files[0].rpartition("/")[2]
    return {"report": REPORT, "run_id": run_id, "release_id": release_id, "name": name}


@pytest.fixture
def asleep(live: Live) -> Any:
    """The report takes no runs while it is asked for all that its params may be."""
    live.api.patch(f"dags/{REPORT}", {"is_paused": True})
    yield
    live.api.patch(f"dags/{REPORT}", {"is_paused": False})


@pytest.mark.usefixtures("asleep")
def test_no_request_ends_in_a_fault(
    live: Live, tokens: dict[str, str], known: dict[str, Any]
) -> None:
    place = f"{live.api.base_url}/reports"
    headers = bearer(tokens["op"])
    document = requests.get(f"{place}/api/openapi.json", headers=headers, timeout=20).json()
    schema = schemathesis.openapi.from_dict(document)
    found: Any = schema.get_all_operations()
    operations = [one.ok() for one in found]
    share = SECONDS / len(operations) / len(MODES)
    for operation in operations:
        role = "viewer" if operation.path.endswith(CHANGING) else "op"
        sender = Sender(place, tokens[role], known, share)
        count = sum(sender.send(operation, mode) for mode in MODES)
        assert count > 0, operation.label


@dataclass(frozen=True)
class Sender:
    """Sends whatever fits, or does not fit, a route.

    Attributes:
        place: where the app is.
        token: of who sends.
        known: values that are there, by the name of a path's part.
        seconds: for one kind of requests of one route.
    """

    place: str
    token: str
    known: dict[str, Any]
    seconds: float

    def send(self, operation: Any, mode: GenerationMode) -> int:
        """Send requests until the time is over; return how many."""
        until = time.monotonic() + self.seconds
        sent: list[int] = []

        @STEADILY
        @given(case=operation.as_strategy(generation_mode=mode), is_known=st.booleans())
        def one(case: Any, is_known: bool) -> None:
            if time.monotonic() > until:
                return
            if is_known:
                there = self.known.keys() & case.path_parameters.keys()
                case.path_parameters.update({name: self.known[name] for name in there})
            case.query.pop("wait", None)  # of a run under way it would be waited for
            answer = case.call(base_url=self.place, headers=bearer(self.token), timeout=30)
            sent.append(answer.status_code)
            assert answer.status_code < FAULT, (case.as_curl_command(), answer.text)

        # Where nothing is asked for, nothing can be wrong.
        with suppress(Unsatisfiable):
            one()
        return len(sent)
