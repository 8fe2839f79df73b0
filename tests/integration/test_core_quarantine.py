"""Rows that do not fit are set aside with the reason, as far as the source allows (F33, F35)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from embedded_stack.stack import Stack
from reporting.core.fetch.endpoint import Endpoint
from reporting.core.fetch.http import fetch_http
from reporting.core.fetch.postgres import fetch_postgres
from reporting.core.fit import Refused
from reporting.core.manifest import Manifest
from reporting.core.quarantine import refused_from
from reporting.core.staging import Staging
from reporting.definition.shards import Shards
from reporting.errors import ContractError
from tests.integration.drop_fetching import fetched
from tests.integration.own_database import SUPERUSER
from tests.integration.postgres_fetching import connecting, inputs_of
from tests.integration.scripted_service import Reply, Request, page, serving
from tests.integration.staged_tables import left
from tests.specimens import a_run, a_source, an_http_source, an_s3_source

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

pytestmark = pytest.mark.integration

COLUMNS = {"id": "int64 not null", "name": "text"}
Bad = list[tuple[int, str, str]]  # row, column, and words of the reason


def set_aside(staging: Staging, manifest: Manifest) -> list[Refused]:
    """Return the rows that the manifest names, verified by size, count and hash."""
    part = manifest.quarantine
    if part is None:
        return []
    body = staging.bucket.get(part.key) or b""
    refused = refused_from(body)
    assert (part.bytes, part.rows) == (len(body), len(refused))
    assert part.sha256 == hashlib.sha256(body).hexdigest()
    assert part.key.startswith(f"{staging.prefix('orders')}{manifest.attempt}/")
    return refused


def staged_ids(staging: Staging, manifest: Manifest) -> list[int]:
    ids: list[int] = inputs_of(staging, manifest).table("orders")["id"].to_pylist()
    return ids


class FromPostgres:
    """Ten rows, three of which do not fit; one for two reasons."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn

    sql = (
        "SELECT n AS id, CASE n WHEN 3 THEN NULL ELSE 'x' END AS name,"
        " CASE n WHEN 3 THEN 'NaN' WHEN 5 THEN 1e20 ELSE n / 2.0 END::numeric AS price,"
        " CASE n WHEN 7 THEN 'infinity' ELSE '2024-05-01' END::date AS day"
        " FROM generate_series(1, 10) AS n"
    )
    columns: ClassVar[dict[str, str]] = {
        "id": "int64 not null", "name": "text not null", "price": "decimal(10,2)", "day": "date",
    }  # fmt: skip
    bad: ClassVar[Bad] = [
        (3, "name", "NULL; allowed: text not null."),
        (5, "price", "1000000000000000000"),
        (7, "day", "'infinity'; allowed: date."),
    ]

    def __call__(self, staging: Staging, **source: Any) -> Manifest:
        declared = a_source(**({"columns": self.columns} | source))
        with staging.attempt("orders", declared.schema) as attempt:
            facts = fetch_postgres(declared, connecting(self._dsn), self.sql, a_run(), attempt)
            assert facts["expected_rows"] == 10
            return attempt.commit(facts)


class FromService:
    """Ten rows on three pages, three of which do not fit."""

    pages: ClassVar[dict[str | None, Reply]] = {
        None: page(*({"id": n, "name": "x"} for n in (1, 2)), {"id": None, "name": ""}, cursor="b"),
        "b": page({"id": 4}, {"id": 10**20, "more": [1, None]}, {"id": 6, "name": "x"}, cursor="c"),
        "c": page({"id": 7, "name": "ab\0cd"}, *({"id": n, "name": ""} for n in (8, 9, 10))),
    }
    bad: ClassVar[Bad] = [
        (3, "id", "NULL; allowed: int64 not null."),
        (5, "id", "100000000000000000000"),
        (7, "name", r"'ab\x00cd' (text with a NUL character); allowed: text."),
    ]

    def __call__(self, staging: Staging, **source: Any) -> Manifest:
        declared = an_http_source(**({"columns": COLUMNS} | source))
        with (
            serving(lambda request: self.pages[request.query.get("cursor")]) as service,
            staging.attempt("orders", declared.schema) as attempt,
        ):
            return attempt.commit(fetch_http(declared, Endpoint(service.url), a_run(), attempt))


class FromCsv:
    """Ten rows, three of which do not fit; two of those are no rows at all."""

    body = b'id,name\n1,x\n2,x\n3,x,y\n4,"a\nb"\n5\n6,x\n7,ab\0cd\n8,\n9,""\n10,x\n'
    bad: ClassVar[Bad] = [
        (3, "", "3 fields; allowed: 2, as in the header."),
        (5, "", "1 fields; allowed: 2"),
        (7, "name", r"'ab\x00cd' (text with a NUL character); allowed: text."),
    ]

    def __init__(self, client: S3Client, key: str) -> None:
        self._client, self._key = client, key

    def __call__(self, staging: Staging, **source: Any) -> Manifest:
        self._client.put_object(Bucket="landing", Key=self._key, Body=self.body)
        declared = an_s3_source(**({"columns": COLUMNS, "key": self._key} | source))
        return fetched(staging, declared, self._client)


Way = FromPostgres | FromService | FromCsv


@pytest.fixture
def dsn(stack: Stack) -> str:
    """Return a database that is only asked for constants."""
    return stack.dsn("postgres", SUPERUSER)


@pytest.fixture(params=["postgres", "service", "csv"])
def way(request: pytest.FixtureRequest, dsn: str, s3: S3Client, report_name: str) -> Way:
    """Return one way of fetching ten rows, the third, fifth and seventh of which are bad."""
    ways: dict[str, Callable[[], Way]] = {
        "postgres": lambda: FromPostgres(dsn),
        "service": FromService,
        "csv": lambda: FromCsv(s3, report_name),
    }
    return ways[request.param]()


def test_f33_without_a_quarantine_the_first_bad_row_fails_the_fetch(
    staging: Staging, way: Way
) -> None:
    number, column, reason = way.bad[0]

    with pytest.raises(ContractError) as fault:
        way(staging)

    told = str(fault.value)
    assert told.startswith("Source 'orders'")
    for words in (f"row {number}, column {column!r}: ", reason):
        assert words in told
    assert left(staging.bucket, staging.run.prefix) == []


def test_f35_bad_rows_are_set_aside_and_the_good_ones_staged(staging: Staging, way: Way) -> None:
    manifest = way(staging, quarantine=3)

    assert staged_ids(staging, manifest) == [1, 2, 4, 6, 8, 9, 10]
    refused = set_aside(staging, manifest)
    assert [(row.row, row.column) for row in refused] == [(n, c) for n, c, _ in way.bad]
    for row, (_, _, reason) in zip(refused, way.bad, strict=True):
        assert reason in row.reason
    assert manifest.rows == 7
    assert staging.manifest("orders") == manifest


def test_one_bad_row_too_many_fails_the_fetch_and_leaves_nothing(
    staging: Staging, way: Way
) -> None:
    with pytest.raises(ContractError) as fault:
        way(staging, quarantine=2)

    told = str(fault.value)
    for words in ("'orders'", "3 of the first", "quarantine allows 2", f"row {way.bad[0][0]}, "):
        assert words in told
    assert left(staging.bucket, staging.run.prefix) == []


def test_a_quarantine_that_nothing_needs_is_none(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    good = FromCsv(s3, report_name)
    good.body = b"id,name\n1,x\n"

    manifest = good(staging, quarantine=5)

    assert manifest.quarantine is None
    assert len(left(staging.bucket, staging.run.prefix)) == 2


def test_the_whole_row_is_kept_as_text(staging: Staging, dsn: str) -> None:
    first, second, _ = set_aside(staging, FromPostgres(dsn)(staging, quarantine=3))

    assert first.values == {"id": "3", "name": None, "price": "NaN", "day": "2024-05-01"}
    assert second.values == {
        "id": "5", "name": "x", "price": "100000000000000000000", "day": "2024-05-01",
    }  # fmt: skip
    service = set_aside(staging, FromService()(staging, quarantine=3))
    assert [row.values for row in service] == [
        {"id": None, "name": ""}, {"id": str(10**20), "more": "[1,null]"},
        {"id": "7", "name": "ab\0cd"},
    ]  # fmt: skip


def test_f35_poisoned_rows_of_a_service_leave_the_other_999(staging: Staging) -> None:
    names = ["x"] * 1000
    names[10], names[617], names[999] = "ab\0cd", "\ud800", "\udc00z"

    def answer(request: Request) -> Reply:
        start = int(request.query.get("cursor", 0))
        rows = [{"id": n, "name": names[n]} for n in range(start, start + 100)]
        after = start + 100 if start < 900 else None
        return Reply(json.dumps({"items": rows, "next": after}).encode())

    source = an_http_source(columns=COLUMNS, quarantine=3)
    with serving(answer) as service, staging.attempt("orders", source.schema) as attempt:
        manifest = attempt.commit(fetch_http(source, Endpoint(service.url), a_run(), attempt))

    assert staged_ids(staging, manifest) == [n for n in range(1000) if n not in (10, 617, 999)]
    refused = set_aside(staging, manifest)
    assert [row.row for row in refused] == [11, 618, 1000]
    assert [row.reason.partition(": ")[0] for row in refused] == [
        "page 1 (from row 1)",
        "page 7 (cursor='600', from row 601)",
        "page 10 (cursor='900', from row 901)",
    ]
    assert [row.values["name"] for row in refused] == [
        names[10], names[617], names[999],
    ]  # fmt: skip


def test_row_numbers_are_those_of_the_source_over_many_batches(staging: Staging, dsn: str) -> None:
    numbers = [1, 2, 150_000, 299_999, 300_000]
    sql = (
        f"SELECT CASE WHEN n IN ({', '.join(map(str, numbers))}) THEN NULL ELSE n END AS id,"
        " 'x' AS name FROM generate_series(1, 300000) AS n"
    )
    source = a_source(quarantine=5)
    with staging.attempt("orders", source.schema) as attempt:
        manifest = attempt.commit(fetch_postgres(source, connecting(dsn), sql, a_run(), attempt))

    assert [row.row for row in set_aside(staging, manifest)] == numbers
    assert manifest.rows == 299_995


def test_row_numbers_of_a_csv_count_malformed_rows_over_many_blocks(
    staging: Staging, s3: S3Client, report_name: str
) -> None:
    csv = FromCsv(s3, report_name)
    rows = [b"%d,%s\n" % (n, b"x" * 500) for n in range(1, 40_001)]
    bad = {3: b"3,x,y\n", 5: b"x,x\n", 20_000: b"x,x\n", 20_001: b"1,2,3\n", 30_000: b"x,x\n",
           39_999: b"1\n", 40_000: b"x,x\n"}  # fmt: skip
    for number, text in bad.items():
        rows[number - 1] = text
    csv.body = b"id,name\n" + b"".join(rows)

    manifest = csv(staging, quarantine=len(bad))

    assert [row.row for row in set_aside(staging, manifest)] == list(bad)
    assert staged_ids(staging, manifest) == [n for n in range(1, 40_001) if n not in bad]


def test_all_shards_share_one_limit(staging: Staging, dsn: str) -> None:
    way = FromPostgres(dsn)
    by_id = Shards(4, by="id")

    manifest = way(staging, quarantine=3, shards=by_id)

    assert sorted(staged_ids(staging, manifest)) == [1, 2, 4, 6, 8, 9, 10]
    refused = set_aside(staging, manifest)
    assert sorted(str(row.values["id"]) for row in refused) == ["3", "5", "7"]
    staging.discard()
    with pytest.raises(ContractError, match=r"'orders', shard \d of 4.*quarantine allows 2"):
        way(staging, quarantine=2, shards=by_id)
    assert left(staging.bucket, staging.run.prefix) == []
