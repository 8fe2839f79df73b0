"""A source of drops that could not tell when one is complete is refused when it is built."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from reporting import CsvBody, Exists, ListedIn, Marker, Unchanged
from reporting.errors import DefinitionError
from tests.specimens import a_report, an_s3_source

pytestmark = pytest.mark.unit

HOUR = timedelta(hours=1)


def a_set(**changes: Any) -> Any:
    given: dict[str, Any] = {"key": None, "prefix": "drops/{period}/", "complete": Marker()}
    return an_s3_source(**(given | changes))


CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "neither": (
        lambda: an_s3_source(key=None),
        "Source 'orders': key=None, prefix=None; allowed: exactly one of them.",
    ),
    "both": (lambda: a_set(key="a.csv"), "key='a.csv', prefix='drops/{period}/'; allowed: exactly"),
    "blank key": (lambda: an_s3_source(key=" "), "key=' '; allowed: one line of text"),
    "blank prefix": (lambda: a_set(prefix=""), "prefix=''; allowed: one line of text"),
    "no such body": (lambda: a_set(body="csv"), "body='csv'; allowed: JsonBody"),
    "a folder": (lambda: an_s3_source(key="drops/"), "a key that does not end in '/', or prefix"),
    "suffix of a key": (lambda: an_s3_source(suffix=".csv"), "a suffix with a prefix"),
    "list of a key": (lambda: an_s3_source(complete=ListedIn()), "with a key; allowed: a prefix"),
    "its own marker": (
        lambda: an_s3_source(complete=Marker("orders.csv")),
        "the marker 'orders.csv' is the key itself; allowed: another object.",
    ),
    "half a prefix": (
        lambda: a_set(prefix="drops/run_1"),
        "prefix='drops/run_1'; allowed: one that ends in '/', else it is that of 'drops/run_10'",
    ),
    "a listing alone": (
        lambda: a_set(complete=Exists()),
        "prefix without complete; allowed: complete=Marker(...), ListedIn(...) or Unchanged(...)",
    ),
    "a listing by default": (
        lambda: an_s3_source(key=None, prefix="drops/"),
        "a listing does not tell whether more will come",
    ),
    "a whole key": (
        lambda: a_set(complete=Marker("drops/{period}/_SUCCESS")),
        "complete names 'drops/{period}/_SUCCESS'; allowed: its name below the prefix.",
    ),
    "no such way": (lambda: a_set(complete="_SUCCESS"), "complete='_SUCCESS'; allowed: Exists()"),
    "blank marker": (lambda: Marker(""), "Marker: key=''; allowed: one line of text"),
    "blank list": (lambda: ListedIn(" "), "ListedIn: key=' '; allowed: one line of text"),
    "blank items": (lambda: ListedIn(items=""), "ListedIn: items=''; allowed: one line of text"),
    "no time": (lambda: Unchanged(timedelta(0)), "during=0:00:00; allowed: more than 0:00:00."),
    "too short a wait": (
        lambda: a_set(complete=Unchanged(HOUR), wait=HOUR / 2),
        "wait=0:30:00, complete=Unchanged(during=1:00:00); allowed: a wait that is at least as",
    ),
    "wait": (lambda: a_set(wait=-HOUR), "allowed: 0:00:00 to 7 days, 0:00:00."),
    "longest wait": (lambda: a_set(wait=timedelta(8)), "wait=8 days, 0:00:00; allowed: 0:00:00"),
    "pause": (lambda: a_set(longest_pause=timedelta(0)), "longest_pause=0:00:00; allowed: 0:00:0"),
    "placeholder of a prefix": (
        lambda: a_report(sources=[a_set(prefix="{carrier}/")]),
        "prefix='{carrier}/': nothing fills {carrier}; allowed: period.",
    ),
    "placeholder of a marker": (
        lambda: a_report(sources=[a_set(complete=Marker("{day}.done"))]),
        "complete='{day}.done': nothing fills {day}; allowed: period.",
    ),
    "placeholder of a suffix": (
        lambda: a_report(sources=[a_set(suffix="{day}.csv")]),
        "suffix='{day}.csv': nothing fills {day}",
    ),
}


@pytest.mark.parametrize(("build", "words"), CASES.values(), ids=CASES)
def test_what_cannot_tell_is_refused(build: Callable[[], Any], words: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        build()
    assert words in str(refusal.value)


def test_one_object_needs_no_more_than_its_key() -> None:
    source = an_s3_source(key="reference/orders.csv")

    assert (source.bucket, source.body, source.complete) == ("landing", CsvBody(), Exists())
    assert source.longest_wait == timedelta(0)
    assert a_set(complete=Unchanged(HOUR), wait=HOUR).longest_wait == HOUR
