"""The live parts of pages in a real browser: what comes is shown, and the focus stays.

The pages are samples and the clock is the test's own, so nothing is waited for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from report_center.pages.page_route import POLICY
from report_center.pages.shell import STATIC
from report_center.pages.static_routes import TYPES
from report_center.pages.texts import texts_in
from tests.center_pages import pages
from tests.e2e.center_browser import browsing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.integration
SITE = "http://center.test/reports/"
BUSY, IDLE, SLOWEST = 3_000, 15_000, 30_000  # milliseconds between two looks
PAGES = pages()
WORDS = texts_in("en")


class Reader:
    """Somebody before a page whose live part is served by the test.

    Attributes:
        page: the browser's page.
        status: HTTP status of the next part.
        part: its text.
        looks: how often a part was asked for.
        faults: what the console has told that it should not.
    """

    def __init__(self, browser: Browser, name: str) -> None:
        self.whole = PAGES[name]
        self.status, self.part, self.looks = 200, inner(self.whole), 0
        self.faults: list[str] = []
        self.page: Page = browser.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda told: self.faults.append(told.text))
        self.page.route("**/*", self._answer)
        self.page.clock.install()
        self.page.goto(SITE)

    def _answer(self, route: Route) -> None:
        address = urlsplit(route.request.url)
        if "/static/" in address.path:
            file = STATIC / address.path.rpartition("/")[2]
            route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix[1:]])
        elif "part=" in address.query:
            self.looks += 1
            route.fulfill(status=self.status, body=self.part, content_type="text/html")
        else:
            headers = {"Content-Security-Policy": POLICY}
            route.fulfill(body=self.whole, headers=headers, content_type="text/html")

    def wait(self, milliseconds: int) -> None:
        """Let time pass; what is asked for last is answered last."""
        self.page.clock.run_for(milliseconds)
        for _ in range(2):
            self.page.evaluate("fetch('/reports/static/icon.svg').then((one) => one.text())")

    def focused(self) -> str | None:
        """Return what the element that has the focus is called."""
        found: str | None = self.page.evaluate("document.activeElement.dataset.key || null")
        return found

    def warning(self) -> str | None:
        """Return what is said of the part; None when nothing is."""
        note = self.page.locator("[data-warning]")
        return note.inner_text().strip() if note.is_visible() else None


def inner(page: str) -> str:
    """Return what stands in the live part of a page."""
    begun = re.split(r'<div class="live"[^>]*>', page)[1]
    return begun.partition("</main>")[0].rpartition("</div>")[0]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as started:
        yield started


@pytest.mark.parametrize("name", ["runs", "fetching"])
def test_the_focus_survives_each_refresh(browser: Browser, name: str) -> None:
    reader = Reader(browser, name)
    keys = re.findall(r'<(?:a|summary)[^>]* data-key="([^"]+)"', reader.part)
    assert keys
    for number, key in enumerate(keys):
        reader.part = f"{inner(reader.whole)}<p>look {number}</p>"
        reader.page.evaluate("key => document.querySelector(`[data-key='${key}']`).focus()", key)
        reader.wait(IDLE)
        expect(reader.page.get_by_text(f"look {number}", exact=True)).to_be_visible()
        assert reader.focused() == key
    assert reader.faults == []
    reader.page.close()


def test_the_focus_of_what_is_gone_stays_in_its_part(browser: Browser) -> None:
    reader = Reader(browser, "fetching")
    reader.page.locator("[data-key='act Run again']").focus()
    reader.part = "<p>over</p>"
    reader.wait(BUSY)
    expect(reader.page.get_by_text("over", exact=True)).to_be_visible()
    assert reader.page.evaluate("document.activeElement.dataset.live") == "run"
    reader.page.close()


def test_a_page_on_which_nothing_runs_shows_what_begins(browser: Browser) -> None:
    reader = Reader(browser, "today")
    reader.part = '<div hidden data-running></div><p class="tiles">1 runs</p>'
    reader.wait(BUSY)
    assert reader.looks == 0
    reader.wait(IDLE - BUSY)
    expect(reader.page.get_by_text("1 runs")).to_be_visible()
    reader.wait(BUSY)
    assert reader.looks == 2
    reader.page.close()


def test_a_run_that_is_deleted_is_told_and_asked_for_no_more(browser: Browser) -> None:
    reader = Reader(browser, "fetching")
    reader.status = 404
    reader.wait(BUSY)
    expect(reader.page.locator("[data-warning]")).to_be_visible()
    assert reader.warning() == WORDS("live.gone")
    expect(reader.page.locator("#news")).to_have_text(WORDS("live.gone"))
    expect(reader.page.get_by_role("heading", level=1)).to_be_visible()
    reader.wait(SLOWEST)
    assert reader.looks == 1
    reader.page.close()


def test_a_server_that_does_not_answer_is_told_and_asked_again(browser: Browser) -> None:
    reader = Reader(browser, "fetching")
    reader.status = 503
    for looks in (1, 2):
        reader.wait(SLOWEST if looks > 1 else BUSY)
        assert (reader.looks, reader.warning()) == (looks, None)
    reader.wait(SLOWEST)
    expect(reader.page.locator("[data-warning]")).to_be_visible()
    assert reader.warning() == WORDS("live.stopped")
    reader.status = 200
    reader.wait(SLOWEST)
    expect(reader.page.locator("[data-warning]")).to_be_hidden()
    reader.page.close()
