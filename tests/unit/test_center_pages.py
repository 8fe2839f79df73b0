"""The pages as text: whatever they show is escaped, and nothing in them needs more than the CSP."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

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
    """A page as a browser reads it: its tags with attributes, and all its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.crossed: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.crossed.append(tag)

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
