"""A query is looked at when the report is built: its file, its placeholders, its percent signs."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporting.definition.params import Param
from reporting.definition.query import check_query, query_text
from reporting.errors import DefinitionError
from tests.specimens import a_report, a_source

pytestmark = pytest.mark.unit

ALLOWED = ("period_start", "carrier")


@pytest.mark.parametrize(
    "text",
    ["SELECT 1", "%(carrier)s::text", "'100%%'", "%%%(period_start)s", "%(carrier)s%%", "%%(x)s"],
)
def test_what_the_driver_can_fill_is_accepted(text: str) -> None:
    check_query("q", text, ALLOWED)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("%(from)s", ["line 1", "nothing fills %(from)s", "%(period_start)s"]),
        ("a\n%(carier)s", ["line 2", "Did you mean '%(carrier)s'?"]),
        ("LIKE 'a%'", ['"%\'"', "written %%"]),
        ("SELECT %s", ["'%s'", "written %%"]),
        ("-- 50% of\nSELECT 1", ["line 1", "'% of'"]),
        ("SELECT 7 %", ["'%'", "written %%"]),
        ("%(carrier)", ["'%(carrier)'", "%(carrier)s"]),
        ("%%%", ["'%'"]),
    ],
)
def test_what_it_cannot_fill_is_refused(text: str, words: list[str]) -> None:
    with pytest.raises(DefinitionError) as refusal:
        check_query("q", text, ALLOWED)
    for word in words:
        assert word in str(refusal.value)


def test_a_report_checks_its_queries() -> None:
    sql = "SELECT %(carrier)s, %(period)s"
    assert a_report(sources=[a_source(sql=sql)], params={"carrier": Param("UA")})
    with pytest.raises(DefinitionError, match=r"'orders': sql, line 1: .*%\(carrier\)s"):
        a_report(sources=[a_source(sql=sql)])


def test_a_missing_file_is_refused_when_the_report_is_built() -> None:
    with pytest.raises(DefinitionError, match=r"sql='none.sql' cannot be read in tests/"):
        a_report(sources=[a_source(sql="none.sql")])


def test_a_file_is_read_as_it_is_saved_by_any_editor(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_bytes(b"\xef\xbb\xbfSELECT 1\r\n")
    assert query_text("x", "q.sql", tmp_path).strip() == "SELECT 1"


def test_a_misspelt_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "flights.sql").write_text("SELECT 1")
    with pytest.raises(DefinitionError, match=r"Did you mean 'flights\.sql'\?"):
        query_text("x", "flihgts.sql", tmp_path)


@pytest.mark.parametrize("body", [b"", b" \n", b"\xff\xfe"])
def test_a_file_without_a_query_is_refused(tmp_path: Path, body: bytes) -> None:
    (tmp_path / "q.sql").write_bytes(body)
    with pytest.raises(DefinitionError, match=r"sql='q.sql'"):
        query_text("x", "q.sql", tmp_path)


def test_a_fault_in_a_file_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "q.sql").write_text("SELECT\n%(x)s")
    with pytest.raises(DefinitionError, match=r"q\.sql, line 2: nothing fills %\(x\)s"):
        a_source(sql="q.sql").check_use((), tmp_path)
