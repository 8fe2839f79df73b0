"""A definition that contradicts itself is refused with field, value and what is allowed (A8.1)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial
from typing import Any

import pytest

from reporting.definition.columns import columns_from
from reporting.definition.daily import Daily
from reporting.definition.delivery import AlertByEmail, AlertBySlack, Email
from reporting.definition.fresh import Fresh
from reporting.definition.monthly import Monthly
from reporting.definition.pages import CursorPages
from reporting.definition.params import Param
from reporting.definition.retry import Retry
from reporting.definition.run_retry import RunRetry
from reporting.definition.shards import Shards
from reporting.errors import ContractError, DefinitionError
from tests.specimens import a_report, a_source, a_table, an_http_source, an_s3_source, compute

pytestmark = pytest.mark.unit

NOTHING = timedelta(0)
CASES: dict[str, tuple[Callable[[], Any], list[str]]] = {
    # names
    "name empty": (lambda: a_report(name=""), ["Report ''", "a-z"]),
    "name upper": (lambda: a_report(name="Sales"), ["'Sales'", "a-z, 0-9"]),
    "name digit first": (lambda: a_report(name="1st"), ["'1st'", "letter"]),
    "name double _": (lambda: a_report(name="a__b"), ["'a__b'", "single _"]),
    "name path": (lambda: a_report(name="../x"), ["'../x'", "a-z"]),
    "name line feed": (lambda: a_report(name="sales\n"), ["'sales\\n'", "a-z"]),
    "name long": (lambda: a_report(name="a" * 41), ["at most 40"]),
    "table name": (lambda: a_table("Totals"), ["Table 'Totals'", "a-z"]),
    "param name": (
        lambda: a_report(params={"Bad Name": Param("x")}),
        ["param 'Bad Name'", "a-z"],
    ),
    # columns
    "column type": (
        lambda: a_source(columns={"id": "int46"}),
        ["'orders'", "'id'", "'int46'", "Did you mean 'int64'", "decimal"],
    ),
    "column type not null": (
        lambda: a_source(columns={"id": "text notnull"}),
        ["'id'", "'text notnull'", "' not null' after it", "Did you mean 'text not null'"],
    ),
    "column type default": (lambda: a_source(columns={"id": ""}), ["'id'", "text"]),
    "decimal precision": (lambda: a_table(columns={"id": "decimal(39,2)"}), ["'decimal(39,2)'"]),
    "decimal zero": (lambda: a_table(columns={"id": "decimal(0,0)"}), ["'decimal(0,0)'"]),
    "decimal scale": (lambda: a_table(columns={"id": "decimal(3,4)"}), ["s from 0 to p"]),
    "column empty": (lambda: a_source(columns={"": "text"}), ["0 bytes", "1 to 63"]),
    "column NUL": (lambda: a_source(columns={"a\0b": "text"}), ["without NUL"]),
    "column surrogate": (lambda: a_source(columns={"\ud800": "text"}), ["UTF-8"]),
    "column 64 bytes": (lambda: a_source(columns={"ä" * 32: "text"}), ["64 bytes", "1 to 63"]),
    # sources
    "no columns": (lambda: an_http_source(columns={}), ["'orders'", "columns is empty"]),
    "no columns, optional": (
        lambda: a_source(columns={}, required=False),
        ["'orders'", "columns is empty"],
    ),
    "quarantine": (lambda: a_source(quarantine=-1), ["quarantine=-1", "0 to 10,000 rows"]),
    "quarantine large": (lambda: a_source(quarantine=10_001), ["quarantine=10001"]),
    "pool": (lambda: a_source(pool=" "), ["pool=' '", "not blank"]),
    "fresh column": (
        lambda: a_source(fresh=Fresh("updated", timedelta(1)), columns={"updatd": "date"}),
        ["'orders'", "fresh column 'updated'", "Did you mean 'updatd'"],
    ),
    "fresh by text": (
        lambda: a_source(fresh=Fresh("name", timedelta(1))),
        ["fresh column 'name'", "timestamptz, timestamp, date"],
    ),
    "fresh by a list": (
        lambda: a_source(fresh=Fresh("days", timedelta(1)), columns={"days": "date[]"}),
        ["fresh column 'days'"],
    ),
    "fresh undeclared": (
        lambda: a_source(fresh=Fresh("name", timedelta(1)), columns={}),
        ["fresh column 'name'", "allowed: none"],
    ),
    "fresh never": (lambda: Fresh("at", NOTHING), ["within=0:00:00"]),
    "one shard": (lambda: Shards(1, by="id"), ["number=1", "2 to 16"]),
    "many shards": (lambda: Shards(17, by="id"), ["number=17"]),
    "shards by nothing": (lambda: Shards(2, by=""), ["by=''"]),
    "shards by a stranger": (
        lambda: a_source(shards=Shards(2, by="nam")),
        ["'orders'", "'nam'", "Did you mean 'name'"],
    ),
    "min_rows": (lambda: a_source(min_rows=-1), ["min_rows=-1", "0 or more"]),
    "time_limit none": (lambda: a_source(time_limit=NOTHING), ["time_limit=0:00:00", "0:00:01"]),
    "time_limit below a ms": (
        # as a statement_timeout it would be 0, which means no limit at all
        lambda: a_source(time_limit=timedelta(microseconds=1)),
        ["time_limit", "0:00:01 to 7 days"],
    ),
    "time_limit over int32": (lambda: a_source(time_limit=timedelta(days=30)), ["7 days"]),
    "conn_id": (lambda: a_source(conn_id=" "), ["conn_id=' '", "not blank"]),
    "sql": (lambda: a_source(sql=" \n"), ["sql is blank", ".sql file"]),
    "path with query": (
        lambda: an_http_source(path="/v1?api_key=S3CR3T"),
        ["path='/v1'", "into query"],
    ),
    "path blank": (lambda: an_http_source(path=""), ["path=''", "not blank"]),
    "path is a URL": (lambda: an_http_source(path="https://x/v1"), ["without host"]),
    "connect_timeout": (lambda: an_http_source(connect_timeout=0), ["connect_timeout=0"]),
    "read_timeout": (lambda: an_http_source(read_timeout=float("nan")), ["read_timeout=nan"]),
    "cursor in query": (
        lambda: an_http_source(query={"cursor": "1"}),
        ["'cursor'", "any other name"],
    ),
    "cursor is the rows": (lambda: CursorPages("items"), ["'items'", "two names"]),
    "cursor blank": (lambda: CursorPages(""), ["field=''", "not blank"]),
    "query placeholder": (
        lambda: a_report(
            sources=[an_http_source(query={"c": "{carier}"})], params={"carrier": Param("UA")}
        ),
        ["query 'c'", "{carier}", "Did you mean 'carrier'", "period_start"],
    ),
    "key placeholder": (
        lambda: a_report(sources=[an_s3_source(key="in/{perod}.csv")]),
        ["key='in/{perod}.csv'", "Did you mean 'period'"],
    ),
    "bucket": (lambda: an_s3_source(bucket=""), ["bucket=''", "not blank"]),
    # report
    "no sources": (lambda: a_report(sources=[]), ["sources is empty"]),
    "no tables": (lambda: a_report(tables=[]), ["tables is empty"]),
    "source twice": (
        lambda: a_report(sources=[a_source(), a_source()]),
        ["source 'orders'", "twice"],
    ),
    "table twice": (lambda: a_report(tables=[a_table(), a_table()]), ["table 'totals'", "twice"]),
    "compute": (lambda: a_report(compute="compute"), ["compute='compute'", "plain function"]),
    "compute takes nothing": (
        lambda: a_report(compute=lambda: None),
        ["compute is <lambda>()", "one argument"],
    ),
    "compute partial": (lambda: a_report(compute=partial(compute)), ["compute is a partial"]),
    "title": (lambda: a_report(title=""), ["title=''", "not blank"]),
    "title of two lines": (
        # it is the subject of mails
        lambda: a_report(title="Sales\nBcc: x@example.com"),
        ["title=", "one line"],
    ),
    "owner": (lambda: a_report(owner=""), ["owner=''"]),
    "run_limit": (lambda: a_report(run_limit=NOTHING), ["run_limit=0:00:00", "1 s or more"]),
    "step_limit": (lambda: a_report(step_limit=NOTHING), ["step_limit=0:00:00", "1 s"]),
    "keep_staging": (
        lambda: a_report(keep_staging=timedelta(seconds=-1)),
        ["keep_staging", "0 s or more"],
    ),
    # params
    "param period": (lambda: a_report(params={"period": Param()}), ["'period'", "built in"]),
    "param period_start": (
        lambda: a_report(params={"period_start": Param()}),
        ["'period_start'", "built in"],
    ),
    "param refresh": (
        lambda: a_report(params={"refresh": Param(False, type="boolean")}),
        ["'refresh'", "built in", "name yours otherwise"],
    ),
    "default not allowed": (
        lambda: a_report(params={"carrier": Param("ua", pattern="^[A-Z]{2}$")}),
        ["default", "'carrier' is 'ua'", "pattern ^[A-Z]{2}$"],
    ),
    "default missing": (
        lambda: a_report(params={"carrier": Param()}),
        ["'carrier' is None", "type string"],
    ),
    "default not in enum": (
        lambda: a_report(params={"size": Param("XL", enum=["S", "M"])}),
        ["'size' is 'XL'", "enum ['S', 'M']"],
    ),
    "type of no schema": (
        lambda: a_report(params={"size": Param("x", type="strng")}),
        ["param 'size'", "type", "strng"],
    ),
    "pattern of no regex": (
        lambda: a_report(params={"size": Param("x", pattern="[")}),
        ["param 'size'", "pattern: '['"],
    ),
    "keyword of no schema": (
        lambda: a_report(params={"size": Param(1, type="integer", more={"minimum": "0"})}),
        ["param 'size'", "minimum", "'0'"],
    ),
    "keyword slip": (
        lambda: a_report(params={"size": Param(1, type="integer", more={"minmum": 0})}),
        ["param 'size'", "more='minmum'", "Did you mean 'minimum'?"],
    ),
    # schedule and retry
    "at hour": (lambda: Daily(at="24:00", timezone="UTC"), ["at='24:00'", "00:00 to 23:59"]),
    "at form": (lambda: Daily(at="6:00", timezone="UTC"), ["at='6:00'", "HH:MM"]),
    "at line feed": (lambda: Daily(at="06:00\n", timezone="UTC"), ["HH:MM"]),
    "zone": (lambda: Daily(at="06:00", timezone="Europe/Berln"), ["'Europe/Berln'", "IANA"]),
    "zone empty": (lambda: Daily(at="06:00", timezone=""), ["timezone=''", "IANA"]),
    "zone is a folder": (lambda: Daily(at="06:00", timezone="Europe"), ["'Europe'", "IANA"]),
    "zone path": (lambda: Daily(at="06:00", timezone="../etc/passwd"), ["IANA"]),
    "end before start": (
        lambda: Daily(at="06:00", timezone="UTC", start=date(2024, 2, 1), end=date(2024, 1, 1)),
        ["end=2024-01-01", "2024-02-01"],
    ),
    "start beyond the calendar": (
        lambda: Daily(at="06:00", timezone="UTC", start=date.max),
        ["start=9999-12-31", "9999-12-29"],
    ),
    "day of some months": (
        lambda: Monthly(at="06:00", timezone="UTC", day=29),
        ["Monthly: day=29", "1 to 28"],
    ),
    "day 0": (lambda: Monthly(at="06:00", timezone="UTC", day=0), ["day=0", "1 to 28"]),
    "month zone": (lambda: Monthly(at="06:00", timezone="CEST"), ["Monthly: timezone='CEST'"]),
    "month beyond the calendar": (
        lambda: Monthly(at="06:00", timezone="UTC", start=date.max),
        ["Monthly: start=9999-12-31", "9999-11-30"],
    ),
    "retry times": (lambda: Retry(times=-1), ["times=-1", "0 to 100"]),
    "retry waits": (
        lambda: Retry(first_delay=timedelta(hours=1)),
        ["first_delay=1:00:00", "<= max_delay"],
    ),
    "no run again": (lambda: RunRetry(times=0), ["RunRetry: times=0", "1 to 10"]),
    "run again late": (lambda: RunRetry(after=timedelta(days=2)), ["after=2 days", "0 to 1 day"]),
    "run again on what stays": (
        lambda: RunRetry(on=ContractError),  # type: ignore[arg-type]
        ["RunRetry: on=ContractError", "TransientError, or a class derived from it"],
    ),
    # deliveries
    "mail to nobody": (lambda: Email(to=[]), ["to=[]", "one or more"]),
    "mail to a text": (lambda: Email(to="a@b.c"), ["to='a@b.c'", "a list", "['a@b.c']?"]),
    "mail twice": (lambda: Email(to=["a@b.c", "a@b.c"]), ["each once"]),
    "alert to no address": (lambda: AlertByEmail(to=["ops"]), ["to='ops'", "name@host"]),
    "alert to nobody": (lambda: AlertByEmail(to=[]), ["one or more"]),
    "slack": (lambda: AlertBySlack(conn_id=""), ["conn_id=''"]),
    "delivered twice": (
        # a receipt knows a recipient once: the second mail would never be sent
        lambda: a_report(deliver=[Email(to=["a@b.c"]), Email(to=["a@b.c"], conn_id="other")]),
        ["deliver", "email a@b.c", "twice"],
    ),
    "alerted twice": (
        lambda: a_report(alerts=[AlertBySlack(), AlertBySlack()]),
        ["alerts", "slack slack_default", "twice"],
    ),
}


@pytest.mark.parametrize(("build", "words"), CASES.values(), ids=CASES)
def test_a_contradiction_is_refused_in_words(build: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(DefinitionError) as refusal:
        build()

    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize(
    "address", ["@", "a@", "@b", "a@b@c", "a b@c", "a@b\n", "a@b,c@d", "<a@b>"]
)
def test_a_text_that_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(DefinitionError, match="name@host"):
        Email(to=[address])


def test_the_specimens_the_cases_change_are_valid_themselves() -> None:
    report = a_report(sources=[a_source()], tables=[a_table()])

    assert an_http_source().schema == an_s3_source().schema == report.source("orders").schema
    assert report.table("totals").schema[0].type == "int64"


def test_a_query_may_hold_json_and_every_built_in_placeholder() -> None:
    query = {"filter": '{"a": {"b": 1}}', "from": "{period_start}/{period_end}", "p": "{period}"}

    assert a_report(sources=[an_http_source(query=query)])


@pytest.mark.parametrize("word", ["int64", "decimal( 38 , 38 )", "text not null", "timestamptz"])
def test_a_type_is_read_back_as_it_is_written(word: str) -> None:
    column = columns_from("x", {"c": word})[0]

    assert columns_from("x", {"c": column.type})[0] == column
