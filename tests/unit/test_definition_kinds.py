"""Whatever a field is given, a wrong one is refused with field, value and what is allowed."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import fields
from datetime import date, datetime, timedelta
from typing import Any

import pytest

import reporting
from reporting import (
    AlertByEmail,
    AlertBySlack,
    Csv,
    CsvBody,
    CursorPages,
    Daily,
    Email,
    Exists,
    Fresh,
    Job,
    JsonBody,
    LinkPages,
    ListedIn,
    Marker,
    Monthly,
    NdjsonBody,
    NoticeBySlack,
    NumberPages,
    OnSchedule,
    Param,
    ParquetBody,
    PostgresSource,
    Report,
    Retry,
    RunRetry,
    Shards,
    Table,
    Unchanged,
    UpstreamEvent,
    Xlsx,
)
from reporting.errors import DefinitionError
from tests.specimens import (
    COLUMNS,
    a_job_source,
    a_message_source,
    a_report,
    a_source,
    a_table,
    an_http_source,
    an_s3_source,
)

pytestmark = pytest.mark.unit

CASES: dict[str, tuple[Callable[[], Any], str]] = {
    "a class": (
        lambda: a_report(exports=[Csv]),
        "Report 'sales': exports[0]=Csv; allowed: Csv() or Xlsx(). Did you mean Csv()?",
    ),
    "a word": (
        lambda: a_report(exports=["csv"]),
        "Report 'sales': exports[0]='csv'; allowed: Csv() or Xlsx().",
    ),
    "a cron line": (
        lambda: a_report(schedule="0 6 * * *"),
        "Report 'sales': schedule='0 6 * * *'; allowed: Daily(...) or Monthly(...).",
    ),
    "a bare param": (
        lambda: a_report(params={"carrier": "UA"}),
        "Report 'sales': params['carrier']='UA'; allowed: Param(...).",
    ),
    "a bare address": (
        lambda: a_report(deliver=["a@b.c"]),
        "Report 'sales': deliver[0]='a@b.c'; allowed: Email(to=...).",
    ),
    "an alert to deliver": (
        lambda: a_report(deliver=[AlertByEmail(["a@b.c"])]),
        "Report 'sales': deliver[0]=AlertByEmail(...); allowed: Email(to=...).",
    ),
    "a delivery as alert": (
        lambda: a_report(alerts=[Email(["a@b.c"])]),
        "alerts[0]=Email(...); allowed: AlertByEmail(...) or AlertBySlack(...).",
    ),
    "one source": (
        lambda: a_report(sources=a_source()),
        (
            "sources=PostgresSource(...); allowed: a list, each item HttpJobSource(...), "
            "S3Source(...), MessageSource(...), PostgresSource(...) or HttpSource(...). "
            "Did you mean [PostgresSource(...)]?"
        ),
    ),
    "one tag": (lambda: a_report(tags="daily"), "allowed: a list, each item a text. Did you mean"),
    "one alert class": (lambda: a_report(alerts=AlertBySlack), "alerts=AlertBySlack; allowed"),
    "a title": (lambda: a_report(title=7), "Report 'sales': title=7; allowed: a text."),
    "no title": (lambda: a_report(title=None), "title=None; allowed: a text."),
    "a retry": (lambda: a_report(retry=3), "retry=3; allowed: Retry(...)."),
    "a policy": (lambda: a_report(retry_run=3), "retry_run=3; allowed: RunRetry(...) or None."),
    "an error": (
        lambda: RunRetry(on="transient"),  # type: ignore[arg-type]
        "RunRetry: on='transient'; allowed: TransientError, or a class derived from it.",
    ),
    "a limit": (lambda: a_report(run_limit=60), "run_limit=60; allowed: a time span such as"),
    "compute": (lambda: a_report(compute={}), "compute={}; allowed: a plain function."),
    "a param's name": (lambda: a_report(params={1: Param("")}), "params: name=1; allowed: a text."),
    "a Python type": (
        lambda: a_source(columns={"id": int}),
        "PostgresSource 'orders': columns['id']=int; allowed: 'bool', 'bytes', 'date', 'float32'",
    ),
    "column names only": (lambda: a_table(columns=["id"]), "columns=['id']; allowed: a mapping"),
    "min_rows": (lambda: a_source(min_rows="5"), "min_rows='5'; allowed: a whole number."),
    "min_rows bool": (lambda: a_source(min_rows=True), "min_rows=True; allowed: a whole number."),
    "required": (lambda: a_source(required="no"), "required='no'; allowed: True or False."),
    "time_limit": (lambda: a_source(time_limit="5m"), "time_limit='5m'; allowed: a time span"),
    "timeout": (lambda: an_http_source(read_timeout="5"), "read_timeout='5'; allowed: a number."),
    "pages": (
        lambda: an_http_source(pages="next"),
        "allowed: CursorPages(...), NumberPages(...), LinkPages(...) or None.",
    ),
    "query": (lambda: an_http_source(query={"n": 5}), "query['n']=5; allowed: a text."),
    "key": (lambda: an_s3_source(key=7), "S3Source 'orders': key=7; allowed: a text or None."),
    "key columns": (lambda: a_table(key=[1]), "Table 'totals': key[0]=1; allowed: a text."),
    "at": (lambda: Daily(6, "UTC"), "Daily: at=6; allowed: a text."),  # type: ignore[arg-type]
    "a moment": (
        lambda: Daily("06:00", "UTC", datetime(2024, 1, 1)),  # noqa: DTZ001
        "allowed: a day such as date(2024, 1, 31).",
    ),
    "first_delay": (lambda: Retry(first_delay=20), "first_delay=20"),  # type: ignore[arg-type]
    "enum": (lambda: Param("a", enum="ab"), "enum='ab'; allowed: a list"),  # type: ignore[arg-type]
    "type": (
        lambda: Param(type=["string", None]),  # type: ignore[list-item]
        "Param: type[1]=None; allowed: a text.",
    ),
    # names
    "misspelt": (lambda: a_report(schedul=1), "no field is called 'schedul'; allowed: alerts, "),
    "misspelt, hint": (lambda: a_report(schedul=1), "Did you mean 'schedule'?"),
    "misspelt key": (lambda: a_table(keys=["id"]), "Did you mean 'key'?"),
    "misspelt, no name": (lambda: Daily(a="06:00"), "Daily: no field"),  # type: ignore[call-arg]
    "missing": (
        lambda: PostgresSource("o", conn_id="c", columns=COLUMNS),  # type: ignore[call-arg]
        "PostgresSource 'o': sql not given; each is needed.",
    ),
    "without a name": (lambda: Csv("x"), "Csv: 'x' has no name"),  # type: ignore[call-arg]
    "twice": (
        lambda: Email(["a@b.c"], to=["a@b.c"]),  # type: ignore[misc]
        "Email: to is given twice.",
    ),
}


@pytest.mark.parametrize(("build", "words"), CASES.values(), ids=CASES)
def test_a_wrong_field_is_refused_in_words(build: Callable[[], Any], words: str) -> None:
    with pytest.raises(DefinitionError) as refusal:
        build()
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value), "it is shown as the last line of an import error"


class Odd:
    """Nothing a definition could mean."""


GIVEN: dict[str, Callable[..., Any]] = {
    "Report": a_report,
    "PostgresSource": a_source,
    "HttpSource": an_http_source,
    "S3Source": an_s3_source,
    "Exists": Exists,
    "Marker": Marker,
    "ListedIn": ListedIn,
    "Unchanged": lambda **changes: Unchanged(**{"during": timedelta(1), **changes}),
    "Table": lambda **changes: Table(**{"name": "t", "key": ["id"], "columns": COLUMNS} | changes),
    "Daily": lambda **changes: Daily(**{"at": "06:00", "timezone": "UTC"} | changes),
    "Monthly": lambda **changes: Monthly(**{"at": "06:00", "timezone": "UTC"} | changes),
    "HttpJobSource": a_job_source,
    "Job": Job,
    "MessageSource": a_message_source,
    "NumberPages": NumberPages,
    "LinkPages": LinkPages,
    "JsonBody": JsonBody,
    "NdjsonBody": NdjsonBody,
    "CsvBody": CsvBody,
    "ParquetBody": ParquetBody,
    "CursorPages": lambda **changes: CursorPages(**{"field": "next"} | changes),
    "Fresh": lambda **changes: Fresh(**{"column": "at", "within": timedelta(1), **changes}),
    "Shards": lambda **changes: Shards(**{"number": 2, "by": "id", **changes}),
    "Param": Param,
    "Retry": Retry,
    "RunRetry": RunRetry,
    "Email": lambda **changes: Email(**{"to": ["a@b.c"]} | changes),
    "AlertByEmail": lambda **changes: AlertByEmail(**{"to": ["a@b.c"]} | changes),
    "AlertBySlack": AlertBySlack,
    "NoticeBySlack": NoticeBySlack,
    "OnSchedule": OnSchedule,
    "UpstreamEvent": lambda **changes: UpstreamEvent(**{"name": "loaded"} | changes),
    "Csv": Csv,
    "Xlsx": Xlsx,
}
# The specimens give the name of a source themselves; any value may be a default, and a class can
# be called as a function can: what compute may be has a check of its own.
EXEMPT = {
    *((kind, "name") for kind in GIVEN if kind.endswith("Source")),
    ("Param", "default"),
    ("Report", "compute"),
}
FIELDS = [
    (kind, field.name)
    for kind in GIVEN
    for field in fields(getattr(reporting, kind))
    if field.init and (kind, field.name) not in EXEMPT
]


def test_every_class_of_a_report_file_is_looked_at() -> None:
    assert set(GIVEN) == set(reporting.__all__) - {"Period"}
    assert len(FIELDS) > 50


@pytest.mark.parametrize(("kind", "field"), FIELDS)
def test_no_field_takes_what_it_does_not_say(kind: str, field: str) -> None:
    with pytest.raises(DefinitionError, match=rf"^{kind}.*: {field}=Odd"):
        GIVEN[kind](**{field: Odd})


def test_what_is_right_is_left_as_it_is() -> None:
    report = a_report(
        exports=(Csv(), Xlsx()),
        tags=["daily"],
        params={"size": Param(1.5, type=["null", "number"])},
        alerts=[AlertBySlack()],
        run_limit=timedelta(hours=1),
        schedule=Daily("06:00", "UTC", date(2024, 1, 1), end=None),
    )
    assert report.exports == (Csv(), Xlsx())
    assert an_http_source(read_timeout=5).read_timeout == 5


def test_editors_still_see_every_field() -> None:
    assert list(inspect.signature(Daily).parameters) == [field.name for field in fields(Daily)]
    assert list(inspect.signature(Report).parameters) == [field.name for field in fields(Report)]


def test_an_empty_source_is_incomplete_unless_said_otherwise() -> None:
    assert a_source().min_rows == 1
    assert a_source(min_rows=0).min_rows == 0
