"""The report center as people see it: in Airflow and alone, light and dark, wide and phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.e2e.center_browser import PHONE, WIDE, Visitor, browsing
from tests.e2e.live import Live

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FrameLocator

REPORT = "airline_on_time"
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
