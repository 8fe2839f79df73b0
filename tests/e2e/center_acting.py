"""Somebody who changes something in the report center: by its buttons, and after being asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from tests.e2e.center_browser import Visitor
from tests.e2e.clears import IDS, REPORT
from tests.e2e.live import Live

if TYPE_CHECKING:
    from playwright.sync_api import Locator

PATIENCE = 180_000  # milliseconds


@dataclass(frozen=True)
class Actor:
    """A visitor who acts on one report, `clearing`, and one period of it.

    Attributes:
        visitor: the browser.
        live: the stack.
        day: the period.
    """

    visitor: Visitor
    live: Live
    day: str

    def drop(self, source: str, column: str, figure: int) -> None:
        """Put a source of the day, with this figure in every row."""
        body = "\n".join([f"id,{column}", *(f"{id_},{figure}" for id_ in IDS), ""]).encode()
        key = f"{REPORT}/{self.day}/{source}.csv"
        self.live.s3.put_object(Bucket="landing", Key=key, Body=body)

    def figures(self) -> list[int]:
        """Return the prices that readers see."""
        query = "SELECT DISTINCT price FROM results.clearing__sales WHERE period = %s"
        return [row[0] for row in self.live.rows(query, self.day)]

    def press(self, text: str) -> None:
        """Press a button, or what looks like one."""
        page = self.visitor.page
        link = page.get_by_role("link", name=text, exact=True)
        page.get_by_role("button", name=text, exact=True).or_(link).first.click()

    def trigger(self, factor: str, *, is_anew: bool = False) -> None:
        """Fill in the report's form and send it."""
        self.visitor.open(f"report/{REPORT}")
        self.press("Trigger a run")
        page = self.visitor.page
        page.get_by_label("Period").fill(self.day)
        page.get_by_label("factor").fill(factor)
        page.get_by_label("Make a new version").set_checked(is_anew)
        self.press("Trigger a run")

    def told(self) -> Locator:
        """Return what the page says was done just now."""
        return self.visitor.page.locator("main > .note[role=status]")

    def run_id(self) -> str:
        """Return the run whose page is shown."""
        return unquote(self.visitor.page.url.partition("?")[0].rpartition("/")[2])

    def await_state(self, state: str) -> None:
        """Wait until the page of a run shows its last state, without reloading it."""
        page = self.visitor.page
        page.locator(f".title .badge[title={state}]").wait_for(timeout=PATIENCE)
        page.locator("[data-running]").wait_for(state="detached", timeout=PATIENCE)

    def confirm(self, button: str, *happens: str) -> None:
        """Read what will happen, and let it."""
        page = self.visitor.page
        for text in happens:
            page.get_by_text(text).wait_for()
        assert self.visitor.findings() == []
        self.press(button)
