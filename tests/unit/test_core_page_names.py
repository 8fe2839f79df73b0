"""A page is named in messages so that it is found, and by nothing that could be secret."""

from __future__ import annotations

import pytest

from reporting.core.fetch.client import Asked
from reporting.core.fetch.paging import page_name
from reporting.definition.pages import CursorPages, LinkPages, NumberPages, Pages

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("pages", "query", "name"),
    [
        (CursorPages("next"), {}, "page 3 (from row 201)"),
        (CursorPages("next"), {"cursor": "c2"}, "page 3 (cursor='c2', from row 201)"),
        (CursorPages("next"), {"cursor": "c" * 90}, f"page 3 (cursor='{'c' * 40}', from row 201)"),
        (CursorPages("next", param="page_token"), {"page_token": "S3"}, "page 3 (from row 201)"),
        (NumberPages(), {"offset": "200"}, "page 3 (offset='200', from row 201)"),
        (LinkPages(), {"sig": "S3"}, "page 3 (from row 201)"),
    ],
)
def test_a_page_is_named(pages: Pages, query: dict[str, str], name: str) -> None:
    assert page_name(pages, 3, Asked("https://x.test/?sig=S3", query), 201) == name
