"""The header `Link`: a next page that is not seen would be rows lost."""

from __future__ import annotations

import pytest

from reporting.core.fetch.link_header import next_link

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "text",
    [
        '<URL>; rel="next"',
        "<URL>;rel=next",
        "<URL>; rel='next'",
        '<URL>; rel="Next"',
        '<URL>; REL="next"',
        '<URL>; rel = "prev next"',
        '<URL>; title="a=b"; rel="next"',
        '<URL>; title="a, b; rel=\\"prev\\""; rel="next"',
        '<URL>; crossorigin; rel="next"',
        '</first>; rel="prev", <URL>; rel="next", </last>; rel="last"',
        '</first>; rel="prev" ,<URL>; rel="next"',
    ],
)
@pytest.mark.parametrize("url", ["http://h/p?c=2", "/p;x=1?ids=1,2", "/p?a=b&c=%3E"])
def test_a_next_page_is_seen_however_it_is_written(text: str, url: str) -> None:
    assert next_link(text.replace("URL", url)) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<" * 65_000,
        '</p>; rel="prev"',
        '</p>; rel="nextish"',
        '</p>; title="rel=next"',
        "</p>",
        "next",
        '</p>; rel="last"; rel="next"',
    ],
)
def test_what_is_no_next_page_is_none(text: str) -> None:
    assert next_link(text) is None
