"""The report center as people see it: in Airflow and alone, light and dark, wide and phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from reporting.core.service.broker import Broker
from tests.e2e.center_acting import Actor
from tests.e2e.center_browser import PHONE, WIDE, Visitor, browsing
from tests.e2e.live import Live
from tests.e2e.test_dead_letters import QUEUE, given_up, orders
from tests.e2e.test_figures import xlsx_rows
from tests.integration.message_service import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator

REPORT = "airline_on_time"
WORKBOOK = f"{REPORT}_carrier_day.xlsx"
RUN_PATIENCE = 180_000  # milliseconds
FRAME = "iframe[title='{}']"
HOW = {
    "light": {"color_scheme": "light", "locale": "en-GB"},
    "dark": {"color_scheme": "dark", "locale": "en-GB"},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as started:
        yield started


@pytest.fixture(scope="module")
def run_id(live: Live, browser: Browser) -> str:
    """A run that was watched to its end, in Airflow's frame."""
    visitor = Visitor(browser, live, **HOW["light"])
    visitor.log_in()
    visitor.page.get_by_role("link", name="Reports", exact=True).click()
    center = visitor.page.frame_locator(FRAME.format("Reports"))
    center.get_by_role("heading", name="Today", level=1).wait_for()
    visitor.keep_picture("center-in-airflow")
    found = live.trigger(REPORT, period="2013-03-05", refresh=True)
    watch(center, found)
    leave_to_airflow(visitor, center, found)
    assert visitor.faults == []
    visitor.context.close()
    return found


def watch(center: FrameLocator, run_id: str) -> None:
    """Open the run as soon as the list shows it, and wait: its states come without reloading."""
    center.get_by_role("navigation", name="Sections").get_by_text("Runs").click()
    row = center.get_by_role("row").filter(has_text=run_id)
    row.get_by_role("link").click()
    center.get_by_role("heading", name="Airline on-time performance", level=1).wait_for()
    assert center.locator("[data-running]").count() == 1
    center.locator(".title .badge[title=SUCCESS]").wait_for(timeout=RUN_PATIENCE)
    center.locator("[data-running]").wait_for(state="detached")
    assert center.locator(".path > .done").count() == 6


def leave_to_airflow(visitor: Visitor, center: FrameLocator, run_id: str) -> None:
    """A link to Airflow's own pages opens there, not in the frame; its tab leads back."""
    for source in ("flights", "weather", "planes", "airlines"):
        assert center.get_by_role("rowheader", name=source).count() == 1
    assert center.locator("a[download]").count() == 6
    center.get_by_role("link", name="Log of compute in Airflow").click()
    visitor.page.wait_for_url(f"**/dags/{REPORT}/runs/**/tasks/compute*")
    visitor.page.get_by_role("link", name="Reports", exact=True).wait_for()
    visitor.page.goto(f"{visitor.address}/dags/{REPORT}/plugin/report")
    told = visitor.page.frame_locator(FRAME.format("Report"))
    told.get_by_role("link", name=run_id).first.wait_for()


@pytest.mark.parametrize("how", HOW)
def test_every_page_is_sound_for_every_reader(
    live: Live, browser: Browser, run_id: str, how: str
) -> None:
    visitor = Visitor(browser, live, **HOW[how])
    visitor.log_in()
    paths = {
        "today": "",
        "runs": "runs",
        "run": f"runs/{REPORT}/{run_id.replace('+', '%2B')}",
        "report": f"report/{REPORT}",
        "dead-letters": "dead-letters",
        "health": "health",
    }
    for name, path in paths.items():
        visitor.open(path)
        for size, viewport in (("", WIDE), ("-phone", PHONE)):
            visitor.page.set_viewport_size(viewport)
            assert not visitor.is_sideways(), (name, size)
            assert visitor.findings() == [], (name, size)
            visitor.keep_picture(f"center-{name}{size}-{how}")
    assert visitor.faults == []
    visitor.context.close()


def test_a_workbook_that_is_downloaded_has_the_published_figures(
    live: Live, browser: Browser, run_id: str
) -> None:
    visitor = Visitor(browser, live, **HOW["light"])
    visitor.log_in()
    visitor.open(f"runs/{REPORT}/{run_id.replace('+', '%2B')}")
    with visitor.page.expect_download() as told:
        visitor.page.get_by_role("link", name=WORKBOOK).click()

    name = told.value.suggested_filename
    assert name.startswith("Airline on-time performance carrier_day 2013-03-05 v")
    assert name.endswith(".xlsx")
    query = f"SELECT carrier, flights FROM results.{REPORT}__carrier_day WHERE period = %s"
    published = sorted(live.rows(query, "2013-03-05"))
    assert xlsx_rows(told.value.path().read_bytes()) == published != []
    assert visitor.faults == []
    visitor.context.close()


def test_a_reader_without_a_login_logs_in_and_comes_back(live: Live, browser: Browser) -> None:
    visitor = Visitor(browser, live, **HOW["light"])
    visitor.page.goto(f"{visitor.address}/reports/runs?state=FAILED")
    visitor.page.wait_for_selector("input[name=password]")
    assert "next=" in visitor.page.url
    visitor.context.close()


def test_the_language_is_changed_and_remembered(live: Live, browser: Browser) -> None:
    visitor = Visitor(browser, live, **HOW["light"])
    visitor.log_in()
    visitor.open("runs?state=FAILED")
    visitor.page.get_by_role("link", name="中文").click()
    visitor.page.get_by_role("heading", name="运行", level=1).wait_for()
    assert visitor.page.url.endswith("/reports/runs?state=FAILED")
    visitor.open("health")
    visitor.page.get_by_role("heading", name="健康", level=1).wait_for()
    assert visitor.faults == []
    visitor.context.close()


def test_pages_work_without_script_and_by_keyboard(live: Live, browser: Browser) -> None:
    visitor = Visitor(browser, live, **HOW["light"])
    visitor.log_in()
    visitor.open("")
    visitor.page.keyboard.press("Tab")
    visitor.page.keyboard.press("Enter")
    assert visitor.page.evaluate("document.activeElement.id") == "content"
    silent = browser.new_context(
        java_script_enabled=False, storage_state=visitor.context.storage_state()
    )
    page = silent.new_page()
    page.goto(f"{visitor.address}/reports/runs")
    page.get_by_label("State").select_option("SUCCESS")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**/reports/runs?*state=SUCCESS*")
    assert page.get_by_role("heading", level=1).inner_text() == "Runs"
    silent.close()
    visitor.context.close()


def test_people_act_and_are_told_what_will_happen_and_what_did(
    live: Live, browser: Browser
) -> None:
    """A wrong param, a source that fails, a rerun, a duplicate, a roll back, a dead letter."""
    visitor = Visitor(browser, live, **HOW["light"])
    visitor.log_in()
    actor = Actor(visitor, live, "2013-02-03")
    actor.drop("orders", "amount", 10)
    refuse_a_wrong_param(actor)
    run_id = fail_for_lack_of_a_source(actor)
    actor.drop("prices", "price", 1)
    rerun_what_failed(actor, run_id)
    lead_to_the_run_that_published(actor, run_id)
    actor.drop("prices", "price", 2)
    roll_back_to_the_first_version(actor)
    replay_a_dead_letter(actor)
    # The browser tells, too, that a form was refused.
    assert [fault for fault in visitor.faults if "status of 422" not in fault] == []
    visitor.context.close()


def refuse_a_wrong_param(actor: Actor) -> None:
    page = actor.visitor.page
    actor.trigger("many")
    page.get_by_text("1 value is not allowed. No run was made.").wait_for()
    page.get_by_text("Param 'factor' is 'many'; allowed: type integer.").wait_for()
    assert page.get_by_label("factor").input_value() == "many"
    assert page.get_by_label("Period").input_value() == actor.day
    assert actor.visitor.findings() == []
    actor.visitor.keep_picture("center-trigger")


def fail_for_lack_of_a_source(actor: Actor) -> str:
    """Return the run that has failed, and undone what it had left."""
    page = actor.visitor.page
    actor.trigger("1")
    assert actor.told().inner_text() == "The run was made."
    actor.await_state("FAILED")
    page.get_by_role("heading", name="Failed at fetch_prices").wait_for()
    assert f"clearing/{actor.day}/prices.csv" in page.locator(".note.bad").inner_text()
    assert page.locator(".path.undoing > .done", has_text="COMPENSATING").count() == 1
    return actor.run_id()


def rerun_what_failed(actor: Actor, run_id: str) -> None:
    actor.press("Rerun the failed part")
    actor.visitor.keep_picture("center-rerun")
    actor.confirm(
        "Rerun the failed part",
        "in the same run: fetch_prices, await_sources, compute, store, deliver, compensate.",
        "kept as they are: init, fetch_orders.",
    )
    actor.told().get_by_text("The failed part is run again.").wait_for()
    assert actor.run_id() == run_id
    actor.await_state("SUCCESS")
    assert actor.figures() == [1]


def lead_to_the_run_that_published(actor: Actor, run_id: str) -> None:
    actor.trigger("1")
    actor.told().get_by_text("are published already").wait_for()
    assert actor.run_id() == run_id


def roll_back_to_the_first_version(actor: Actor) -> None:
    page = actor.visitor.page
    actor.trigger("1", is_anew=True)
    actor.await_state("SUCCESS")
    assert actor.figures() == [2]
    actor.visitor.open("report/clearing")
    rows = page.get_by_role("row").filter(has_text=actor.day)
    rows.get_by_role("link", name="Roll back to this").click()
    actor.confirm("Show version 1", "Readers see version 1 instead of version 2.")
    actor.told().get_by_text("Readers see the version you have chosen.").wait_for()
    assert actor.figures() == [1]
    assert rows.get_by_role("link", name="Make current").count() == 1


def replay_a_dead_letter(actor: Actor) -> None:
    page, live = actor.visitor.page, actor.live
    known = live.connection("REPORTS_BROKER")
    broker = Broker(
        known["host"], known["port"], known["login"], known["password"], known["schema"]
    )
    run_id, number = given_up(live, broker, "2013-02-03")
    actor.visitor.open("dead-letters?report=messaging")
    page.get_by_label(f"Choose dead letter {number}", exact=True).check()
    actor.press("Replay")
    with serving(broker, QUEUE, orders):
        actor.confirm("Replay it", f"Letter {number} (messaging, orders) is sent again to queue")
        actor.told().get_by_text("The letter was sent again.").wait_for()
        assert live.ended("messaging", run_id) == "success"
