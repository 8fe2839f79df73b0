"""The pages as text: whatever they show is escaped, and nothing in them needs more than the CSP."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from fastapi import HTTPException, Request

from report_center.pages.faults import Fault, NotThereError, fault_of
from report_center.pages.formats import Formats
from report_center.pages.run_view import run_page
from report_center.pages.shell import render
from report_center.pages.texts import texts_in
from report_center.records.run import DeliveryRow, RunView
from reporting.airflow_edge.web_rights import OtherSiteError
from reporting.errors import TerminalError, TransientError
from tests import center_samples as samples
from tests.center_pages import frame, pages

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "quotes": "\"'><img src=x onerror=alert(1)>",
    "template": "{{ 7*7 }}{% raw %}${7*7}",
    "address": "javascript:alert(1)//",
    "right to left": "\u202e\u2066abc\u2069",
    "entities": "&lt;b&gt;&amp;&#x3c;",
    "long": "n" * 10_000,
    "lines": "a\r\nb\tc\u2028d\u0085e",
}
VOID = {"meta", "link", "input", "img", "br", "use", "path", "rect", "circle"}
PAGES = sorted(pages())


class Read(HTMLParser):
    """A page as a browser reads it: its tags with attributes, those that are live, all its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.live: list[tuple[str, dict[str, str | None]]] = []
        self.live_from: int | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if self.live_from is not None:
            self.live.append((tag, dict(attrs)))
        if "data-live" in dict(attrs):
            self.live_from = len(self.open)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)
        if self.live_from is not None and len(self.open) <= self.live_from:
            self.live_from = None

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def plain() -> dict[str, Read]:
    return {name: Read(text) for name, text in pages().items()}


@pytest.mark.parametrize("kind", HOSTILE)
def test_f66_whatever_is_shown_is_text(kind: str) -> None:
    hostile = HOSTILE[kind]
    harmless = pages(change=lambda told: f"{'n' * len(hostile)}{told}")
    for name, text in pages(change=lambda told: f"{hostile}{told}").items():
        read = Read(text)
        assert shape(read) == shape(Read(harmless[name])), name
        assert hostile[:40].splitlines()[0] in "".join(read.text), name


def shape(read: Read) -> list[tuple[str, list[str]]]:
    """Return the tags of a page with the names of their attributes: what data must not change."""
    return [(tag, sorted(attributes)) for tag, attributes in read.tags]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", ["script", "quotes", "address"])
def test_nothing_in_a_page_needs_more_than_its_policy_allows(kind: str, language: str) -> None:
    for name, text in pages(language, lambda told: HOSTILE[kind] + told).items():
        read = Read(text)
        for tag, attributes in read.tags:
            assert tag not in {"style", "iframe", "object", "embed", "base"}, name
            assert not [one for one in attributes if one.startswith("on") or one == "style"], name
            for place in ("href", "src", "action", "formaction"):
                where = attributes.get(place) or ""
                assert where.startswith(("/", "#")) or not where, (name, where[:80])
                assert not where.startswith("//"), name
        assert [one["src"] for one in read.named("script")] == [
            one["src"] for one in read.named("script") if "/static/center.js" in str(one["src"])
        ]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_well_formed_and_can_be_found_ones_way_in(
    name: str, plain: dict[str, Read]
) -> None:
    read = plain[name]
    assert read.crossed == []
    assert read.open == []
    ids = [attributes["id"] for _, attributes in read.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in read.tags:
        for place in ("aria-labelledby", "aria-describedby", "for"):
            assert set((attributes.get(place) or "").split()) <= set(ids), attributes
    if "part" not in name:
        assert len(read.named("h1")) == len(read.named("main")) == 1
        assert read.named("html")[0]["lang"] == "en"
        assert {"href": "#content", "class": "skip button"} in read.named("a")


@pytest.mark.parametrize("name", PAGES)
def test_every_field_has_a_label_and_every_drawing_words_or_is_hidden(
    name: str, plain: dict[str, Read]
) -> None:
    read = plain[name]
    labelled = {attributes["for"] for attributes in read.named("label") if "for" in attributes}
    for tag in ("input", "select", "textarea"):
        for one in read.named(tag):
            is_told = one.get("id") in labelled or "aria-label" in one or "data-all" in one
            assert is_told or one.get("type") == "hidden", one
    for one in read.named("svg"):
        assert one.get("aria-hidden") == "true" or one.get("role") == "img"


@pytest.mark.parametrize("name", PAGES)
def test_times_are_told_with_their_zone(name: str, plain: dict[str, Read]) -> None:
    for one in plain[name].named("time"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", one["datetime"] or "")
        assert one["title"]


LIVE = ("today", "runs", "run", "fetching", "failed")


@pytest.mark.parametrize("name", LIVE)
def test_whatever_takes_the_focus_in_a_live_part_is_known_again(
    name: str, plain: dict[str, Read]
) -> None:
    taking = [one for tag, one in plain[name].live if tag in {"a", "button", "input", "summary"}]
    keys = [one.get("data-key") for one in taking]
    assert len(keys) > 2
    assert None not in keys
    assert len(set(keys)) == len(keys)
    (part,) = [one for _, one in plain[name].tags if "data-live" in one]
    assert part["tabindex"] == "-1"  # the focus goes there when what had it is gone


@pytest.mark.parametrize("name", LIVE)
def test_a_live_part_can_say_that_it_is_so_no_longer(name: str, plain: dict[str, Read]) -> None:
    (part,) = [one for _, one in plain[name].tags if "data-live" in one]
    (warning,) = [one for _, one in plain[name].tags if "data-warning" in one]
    assert warning["data-warning"] == part["data-live"]
    assert "hidden" in warning
    assert warning["data-gone"]
    assert warning["data-stopped"]


def test_the_numbers_of_today_are_live(plain: dict[str, Read]) -> None:
    assert [one for tag, one in plain["today"].live if tag == "dl"] == [{"class": "tiles"}]


def run_of(view: RunView) -> str:
    shown = run_page(Formats(texts_in("en")), view, "UTC")
    return " ".join(Read(render(frame(), "run.html", view=shown, may_download=True, acts=())).text)


def test_f10_f70_an_alarm_that_was_not_sent_is_seen_on_the_page_of_its_run() -> None:
    lost = DeliveryRow("slack", "slack_alerts", True, False, 3, "SlackError: 503", samples.NOW)
    shown = run_of(samples.failed_view(deliveries=(lost,)))
    assert "Deliveries" in shown
    assert "slack_alerts" in shown
    assert "SlackError: 503" in shown
    assert "Not sent" in shown
    assert "Deliveries" not in run_of(samples.failed_view())
    assert "Nothing was sent." in run_of(samples.run_view(deliveries=()))


@pytest.mark.parametrize(
    ("done", "tone"),
    [
        ("trigger_created", "note good"),
        ("cancel", "note good"),
        ("none_chosen", "note"),
        ("trigger_under_way", "note"),
        ("trigger_published", "note"),
    ],
)
def test_only_what_was_done_is_told_as_done(done: str, tone: str) -> None:
    own = frame(query=(("done", done),))
    page = Read(render(own, "fault.html", fault=Fault(404, "no_run")))
    assert [one["class"] for one in page.named("div") if one.get("role") == "status"] == [tone]
    assert texts_in("en")(f"done.{done}") in page.text


@pytest.mark.parametrize(
    ("error", "method", "is_in_doubt"),
    [
        (RuntimeError("x"), "GET", False),
        (RuntimeError("x"), "POST", True),
        (TransientError("x"), "POST", True),
        (TerminalError("x"), "POST", False),
        (NotThereError("run", "x"), "POST", False),
    ],
)
def test_a_change_that_failed_may_have_been_done_in_part(
    error: Exception, method: str, is_in_doubt: bool
) -> None:
    fault = fault_of(error, Request({"type": "http", "method": method}))
    text = render(frame(), "fault.html", fault=fault)
    assert ("Part of it may have been done" in text) == is_in_doubt
    assert "Nothing was changed" not in text


def test_f66_a_page_of_another_site_is_not_told_to_ask_for_rights() -> None:
    fault = fault_of(OtherSiteError(), Request({"type": "http", "method": "POST"}))
    text = render(frame(), "fault.html", fault=fault)
    assert (fault.status, "Nothing was done" in text) == (403, True)
    assert "may not" not in text


def test_what_may_not_be_done_names_the_right() -> None:
    error = HTTPException(403, "For this one must be allowed to trigger runs of report 'a'.")
    fault = fault_of(error, Request({"type": "http", "method": "POST"}))
    text = render(frame(), "fault.html", fault=fault)
    assert "You may not do this" in text
    assert "allowed to trigger runs" in text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_who_is_not_logged_in_is_led_to_the_login(language: str) -> None:
    own = frame(language=language)
    fault = fault_of(HTTPException(401, "Log in"), Request({"type": "http", "method": "POST"}))
    page = Read(render(own, "fault.html", fault=fault, login="/api/v2/auth/login?next=%2Fx"))
    assert "/api/v2/auth/login?next=%2Fx" in [link.get("href") for link in page.named("a")]


def test_a_page_in_chinese_holds_no_english_of_its_own() -> None:
    english = {"Report", "State", "Started", "Took", "Sources", "Files", "Health", "Runs", "Show"}
    for name, text in pages("zh").items():
        found = {piece.strip() for piece in Read(text).text}
        assert not found & english, name


def test_the_language_is_changed_by_a_link_that_keeps_the_page() -> None:
    own = frame("/reports/runs", query=(("state", "FAILED"), ("lang", "en")))
    assert own.here(lang="zh") == "/reports/runs?state=FAILED&lang=zh"
    assert own.here(lang=None) == "/reports/runs?state=FAILED"


def test_names_in_an_address_are_encoded() -> None:
    own = frame()
    assert own.to("runs", "a/b", "x?y#z") == "/reports/runs/a%2Fb/x%3Fy%23z"
    assert own.to("runs", report="a&b", state=None) == "/reports/runs?report=a%26b"
    assert own.in_airflow("dags", "../x") == "/dags/..%2Fx"
