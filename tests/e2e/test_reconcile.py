"""Reconciliation on a live Airflow: by the command line, by the janitor, by everybody's rights."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

import pytest
import requests

from embedded_stack.airflow_settings import password_file
from embedded_stack.connections import ADMIN
from embedded_stack.layout import CHECKOUT
from tests.docs_pages import blocks, commands
from tests.e2e.conftest import ROLES
from tests.e2e.live import Live
from tests.e2e.test_dead_letters import reports
from tests.e2e.test_routes_rights import bearer, token

REPORT = "airline_on_time"
PAGE = CHECKOUT / "docs" / "how-to" / "reconcile.md"
ROUTE = "/reports/api/reconciliation"
GONE = "manual__of_another_life"


@dataclass(frozen=True)
class Damaged:
    """A run of which files were deleted."""

    run_id: str
    keys: tuple[str, ...]


@pytest.fixture(scope="module")
def damaged(live: Live) -> Damaged:
    run_id = live.run(REPORT, period="2013-03-04")
    healthy = reports(live, "reconcile", "--run", run_id, "--grace", "0")
    assert healthy.code == 0
    assert healthy.text.startswith("Nothing differs: the 1 release that readers see of the last 7")
    ((files,),) = live.rows("SELECT files FROM reporting.release WHERE run_id = %s", run_id)
    for key in files[:2]:
        live.s3.delete_object(Bucket="reports", Key=key)
    return Damaged(run_id, tuple(files[:2]))


def janitor(live: Live) -> dict[str, int]:
    """Run the janitor with a day gone since all was compared; return what came of it."""
    live.rows("DELETE FROM reporting.reconciliation RETURNING 1")
    run_id = live.trigger("report_janitor")
    assert live.ended("report_janitor", run_id) == "success"
    counts: dict[str, int] = live.api.xcom("report_janitor", run_id, "reconcile")
    return counts


def test_damage_is_found_told_once_and_mended_by_the_command_that_is_named(
    live: Live, damaged: Damaged
) -> None:
    looked = reports(live, "reconcile", "--report", REPORT, "--run", damaged.run_id)
    assert looked.code == 4
    assert [key for key in damaged.keys if f"reports/{key}" not in looked.text] == []
    assert reports(live, "reconcile", "--report", REPORT, "--repair", "--yes").code == 4

    counts = janitor(live)
    assert counts["differences"] >= 1
    assert counts["unseen"] == 0
    assert janitor(live)["differences"] >= 1
    (mail,) = live.mails(damaged.keys[0])
    assert damaged.keys[1] in mail
    assert f"Reconciliation: 2 differences in report {REPORT}" in mail

    advice = next(line for line in looked.text.splitlines() if " clear " in line)
    words = shlex.split(advice)[1:]
    assert reports(live, *words).code == 0
    assert live.ended(REPORT, damaged.run_id) == "success"
    mended = reports(live, "reconcile", "--run", damaged.run_id, "--grace", "0")
    assert mended.code == 0
    assert mended.text.startswith("Nothing differs: the 1 release that readers see of the last 7")


def test_the_janitor_compares_once_a_day(live: Live) -> None:
    janitor(live)

    live.janitor()

    assert live.rows("SELECT count(*) FROM reporting.reconciliation") == [(1,)]


def test_a_stray_object_is_found_and_removed_after_a_yes(live: Live, damaged: Damaged) -> None:
    key = f"{REPORT}/{GONE}/flights/0123456789ab/00-00000.parquet"
    live.s3.put_object(Bucket="staging", Key=key, Body=b"x")
    of_it = ["reconcile", "--run", GONE, "--grace", "0"]

    early = reports(live, "reconcile", "--run", GONE)  # it may be under way
    assert (early.code, GONE in early.text) == (2, True)
    looked = reports(live, *of_it, "--json")
    assert looked.code == 4
    (found,) = json.loads(looked.text)["differences"]
    assert (found["kind"], found["run_id"], found["rule"]) == ("orphaned staging", GONE, "remove")
    asked = reports(live, *of_it, "--repair")
    assert (asked.code, "add --yes" in asked.text) == (2, True)
    assert live.keys("staging", f"{REPORT}/{GONE}/") == [key]

    repaired = reports(live, *of_it, "--repair", "--yes")

    assert repaired.code == 0
    assert repaired.text.startswith("Repaired (remove): orphaned staging")
    assert live.keys("staging", f"{REPORT}/{GONE}/") == []
    assert ADMIN in live.audited("repair_reports")
    assert reports(live, *of_it).code == 2  # nobody knows it any more
    assert damaged.run_id != GONE


@pytest.mark.parametrize("role", [*ROLES, ADMIN])
def test_f66_everybody_sees_and_repairs_what_they_may(
    live: Live, damaged: Damaged, role: str
) -> None:
    known = json.loads(password_file(live.stack.layout).read_text())
    headers = bearer(token(live, role, known[role]))
    url = live.api.base_url + ROUTE
    one = {"report": REPORT, "run_id": damaged.run_id}
    sees_all = role in ("op", ADMIN)

    assert requests.get(url, params=one, headers=headers, timeout=60).status_code == 200
    assert requests.get(url, headers=headers, timeout=60).status_code == (200 if sees_all else 403)
    status = requests.post(f"{url}/repair", json=one, headers=headers, timeout=60).status_code
    assert status == (403 if role == "viewer" else 200)
    assert requests.post(f"{url}/repair", json={}, headers=headers, timeout=60).status_code == (
        200 if sees_all else 403
    )


@pytest.mark.parametrize("query", ["days=0", "days=x", "grace_minutes=-1", "report=%00"])
def test_what_is_not_allowed_in_a_query_is_named(live: Live, query: str) -> None:
    name, _, value = query.partition("=")
    answer = requests.get(f"{live.api.base_url}{ROUTE}?{query}", headers=_admin(live), timeout=20)

    assert answer.status_code == 422
    assert answer.json()["detail"].startswith(name)
    if name == "days":
        said = reports(live, "reconcile", "--days", value)
        assert said.code == 2


def _admin(live: Live) -> dict[str, str]:
    known = json.loads(password_file(live.stack.layout).read_text())
    return bearer(token(live, ADMIN, known[ADMIN]))


def test_the_how_to_can_be_followed(live: Live, damaged: Damaged) -> None:
    lines = [
        command.line.removeprefix(".venv/bin/reports ")
        for block in blocks(PAGE, "console")
        for command in commands(block)
        if command.line.startswith(".venv/bin/reports ")
    ]

    said = {line: reports(live, *line.split()) for line in lines}

    # Other tests may have left something.
    assert {line for line, done in said.items() if done.code not in (0, 4)} == set()
    assert [done.text for done in said.values() if "not looked at" in done.text] == []
    assert len(said) == 3
    assert damaged.run_id
