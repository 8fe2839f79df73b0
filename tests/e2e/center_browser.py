"""A browser before the report center: logged in, watched for faults, and asked by axe-core."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import ViewportSize, sync_playwright

from embedded_stack.layout import CHECKOUT
from tests.e2e.chromium import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

    from tests.e2e.live import Live

IMAGES = CHECKOUT / "docs" / "images"
WANTED = "REPORTING_SCREENSHOTS"  # set by who wants new ones
WIDE: ViewportSize = {"width": 1280, "height": 800}
PHONE: ViewportSize = {"width": 390, "height": 800}
PATIENCE = 60_000  # milliseconds; a busy machine must not fail a test
# Airflow's own words: on the frame it makes, on its login form, and before somebody logs in.
AIRFLOWS = re.compile(r"sandbox attribute can escape|autocomplete attributes|401 \(Unauthorized\)")
AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
FIND = """axe.run().then(found => ({
    rules: found.passes.length,
    broken: found.violations.map(one => [one.id, one.impact, one.nodes[0].html]),
}))"""
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
LEAST_RULES = 10  # fewer have looked at something: it was no page
SERIOUS = ("serious", "critical")


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start a browser for the block."""
    found = chromium()
    environment: dict[str, str | float | bool] = {**os.environ, **found.environment}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=found.binary, args=["--no-sandbox"], env=environment
        )
        yield browser
        browser.close()


class Visitor:
    """Somebody who looks at pages.

    Attributes:
        faults: what the browser's console has told that it should not: errors, broken policy.
    """

    def __init__(self, browser: Browser, live: Live, **how: Any) -> None:
        """Open a page; `how` is what Playwright's context takes."""
        known = live.connection("AIRFLOW_API")
        self.address = f"http://{known['host']}:{known['port']}"
        self._login, self._password = known["login"], known["password"]
        self.faults: list[str] = []
        self.context: BrowserContext = browser.new_context(viewport=WIDE, **how)
        self.context.set_default_timeout(PATIENCE)
        self.page: Page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))

    def log_in(self) -> None:
        """Log in on Airflow's own form."""
        self.page.goto(f"{self.address}/")
        self.page.fill("input[name=username]", self._login)
        self.page.fill("input[name=password]", self._password)
        self.page.keyboard.press("Enter")
        self.page.get_by_role("link", name="Reports", exact=True).wait_for()

    def open(self, path: str) -> None:
        """Open a page of the report center on its own address."""
        self.page.goto(f"{self.address}/reports/{path}")
        self.page.get_by_role("heading", level=1).wait_for()

    def findings(self) -> list[Any]:
        """Return what axe-core finds that is serious; it runs beside the page's own policy."""
        found = self.page.evaluate(f"{AXE};{FIND}")
        assert found["rules"] > LEAST_RULES, found
        return [one for one in found["broken"] if one[1] in SERIOUS]

    def is_sideways(self) -> bool:
        """Say whether the page must be scrolled sideways."""
        return bool(self.page.evaluate(SIDEWAYS))

    def keep_picture(self, name: str) -> None:
        """Keep a picture for the documentation, if somebody asks for new ones."""
        if os.environ.get(WANTED):
            IMAGES.mkdir(exist_ok=True)
            self.page.screenshot(path=Path(IMAGES / f"{name}.png"), full_page=False)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not AIRFLOWS.search(message.text):
            self.faults.append(f"{message.text} ({message.location['url']})")
