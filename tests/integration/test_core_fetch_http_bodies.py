"""One answer with all rows, in any format: read whole or not at all, as a stream."""

from __future__ import annotations

import gzip
import io
import json
import resource
from contextlib import suppress
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reporting import CsvBody, JsonBody, NdjsonBody, ParquetBody
from reporting.core.staging import Staging
from reporting.definition.bodies import Body
from reporting.errors import ContractError, TransientError
from tests.integration import hostile_http as faults
from tests.integration.hostile_http import Fault, named
from tests.integration.http_fetching import fetch, fetch_only, nothing_is_left
from tests.integration.scripted_service import Reply, serving

pytestmark = pytest.mark.integration

ROWS = [{"id": n, "name": f"é{n}"} for n in range(100)]


def parquet() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), sink)
    return sink.getvalue()


CSV = "id,name\n" + "".join(f"{row['id']},{row['name']}\n" for row in ROWS)
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
JSON = json.dumps({"items": ROWS}, ensure_ascii=False)
BODIES: list[tuple[Body, bytes]] = [
    (JsonBody(), JSON.encode()),
    (NdjsonBody(), LINES.encode()),
    (CsvBody(), CSV.encode()),
    (ParquetBody(), parquet()),
]
NAMES = [type(body).__name__ for body, _ in BODIES]
CUT: list[Fault] = [
    faults.cut_length,
    faults.no_last_chunk,
    faults.broken_chunk,
    faults.cut_gzip,
]

by_body = pytest.mark.parametrize(("body", "sent"), BODIES, ids=NAMES)


@by_body
def test_every_format_is_read_whole(staging: Staging, body: Body, sent: bytes) -> None:
    with serving(lambda _: Reply(sent)) as service:
        assert fetch(staging, service.url, pages=None, body=body).to_pylist() == ROWS


@by_body
@pytest.mark.parametrize("fault", CUT, ids=named(*CUT))
def test_f49_a_body_of_whole_rows_that_was_cut_off_is_no_body(
    staging: Staging, body: Body, sent: bytes, fault: Fault
) -> None:
    """All rows that came are good ones; only the length, a chunk or a check value tells."""
    with serving(lambda _: fault(Reply(sent))) as service, pytest.raises(TransientError):
        fetch(staging, service.url, pages=None, body=body)

    assert nothing_is_left(staging)


def test_f49_a_csv_that_was_cut_on_a_row_border_is_no_csv(staging: Staging) -> None:
    half = "".join(CSV.splitlines(keepends=True)[:60]).encode()
    reply = Reply(half, headers={"Content-Length": str(len(CSV.encode()))})
    with serving(lambda _: reply) as service, pytest.raises(TransientError, match="failed: "):
        fetch(staging, service.url, pages=None, body=CsvBody())

    assert nothing_is_left(staging)


@by_body
def test_a_page_for_people_is_no_data(staging: Staging, body: Body, sent: bytes) -> None:
    """Not even where some rows may be set aside."""
    page = faults.login_page(Reply(sent))
    with serving(lambda _: page) as service, pytest.raises(ContractError, match="'orders'"):
        fetch(staging, service.url, pages=None, body=body, quarantine=100, min_rows=0)

    assert nothing_is_left(staging)


@pytest.mark.parametrize(
    ("body", "sent", "words"),
    [
        (JsonBody(), b'{"error": "no such day"}', "error: no such day"),
        (NdjsonBody(), b'{"error": "no such day"}\n', "line 1: .* error: no such day"),
        (NdjsonBody(), b'{"id": 1}\n{"errors": ["timed out"]}\n', r"line 2: .*\['timed out'\]"),
        (CsvBody(), b'{"error": "no such day"}', "no such day"),
    ],
)
def test_an_error_object_is_no_row_of_nulls(
    staging: Staging, body: Body, sent: bytes, words: str
) -> None:
    """All declared columns may be NULL, and some rows may be set aside."""
    columns = {"id": "int64", "name": "text"}
    with serving(lambda _: Reply(sent)) as service, pytest.raises(ContractError, match=words):
        fetch(staging, service.url, pages=None, body=body, columns=columns, quarantine=100)

    assert nothing_is_left(staging)


@pytest.mark.parametrize(
    ("body", "text"),
    [(JsonBody(), JSON), (NdjsonBody(), LINES), (CsvBody(), CSV)],
    ids=NAMES[:3],
)
@pytest.mark.parametrize(
    "charset", ["UTF-8", '"iso-8859-1"', "utf-16", "windows-1252; header=present"]
)
def test_the_declared_charset_is_the_one_that_is_read(
    staging: Staging, body: Body, text: str, charset: str
) -> None:
    sent = text.encode(charset.partition(";")[0].strip('"'))
    kind = {"Content-Type": f"text/csv; charset={charset}"}
    with serving(lambda _: Reply(sent, headers=kind)) as service:
        assert fetch(staging, service.url, pages=None, body=body).to_pylist() == ROWS


@pytest.mark.parametrize("charset", ["utf-8", "gb18030", "no-such", "base64", "zlib", "undefined"])
@pytest.mark.parametrize("body", [NdjsonBody(), CsvBody()], ids=NAMES[1:3])
def test_text_of_another_charset_than_declared_is_refused(
    staging: Staging, body: Body, charset: str
) -> None:
    sent = (CSV if body == CsvBody() else LINES).encode("latin-1")
    kind = {"Content-Type": f"text/csv; charset={charset}"}
    with serving(lambda _: Reply(sent, headers=kind)) as service, pytest.raises(ContractError):
        fetch(staging, service.url, pages=None, body=body)

    assert nothing_is_left(staging)


def test_f28_f30_numbers_are_exact_in_every_format_of_text(staging: Staging) -> None:
    columns = {"id": "int64", "n": "decimal(20,6)"}
    texts: list[tuple[Body, bytes]] = [
        (JsonBody(None), b'[{"id": 9007199254740993, "n": 12345678901234.567891}]'),
        (NdjsonBody(), b'{"id": 9007199254740993, "n": 12345678901234.567891}'),
        (CsvBody(), b"id,n\n9007199254740993,12345678901234.567891\n"),
    ]
    for body, sent in texts:
        with serving(lambda _, sent=sent: Reply(sent)) as service:  # type: ignore[misc]
            table = fetch(staging, service.url, pages=None, body=body, columns=columns)
        assert table.to_pylist() == [
            {"id": 9007199254740993, "n": Decimal("12345678901234.567891")}
        ]


@by_body
def test_an_answer_over_its_limit_is_refused(staging: Staging, body: Body, sent: bytes) -> None:
    limit = len(sent) - 1
    with serving(lambda _: Reply(sent)) as service, pytest.raises(ContractError) as fault:
        fetch(staging, service.url, pages=None, body=body, max_bytes=limit)

    assert f"answered more than {limit:,} bytes" in str(fault.value)
    assert nothing_is_left(staging)


WIDE = "x" * 1000
MANY: list[tuple[Body, bytes, bytes, bytes]] = [
    (JsonBody(), b'{"items": [', b'{"id": 1, "name": "%b"},' % WIDE.encode(), b'{"id": 1}]}'),
    (NdjsonBody(), b"", b'{"id": 1, "name": "%b"}\n' % WIDE.encode(), b""),
    (CsvBody(), b"id,name\n", b"1,%b\n" % WIDE.encode(), b""),
]


@pytest.mark.parametrize(("body", "head", "row", "end"), MANY, ids=NAMES[:3])
def test_f64_memory_does_not_grow_with_the_answer(
    staging: Staging, body: Body, head: bytes, row: bytes, end: bytes
) -> None:
    """A modest look: with all buffers warm, four times the rows do not raise the peak."""
    # Joined, because a sum would be there twice for a moment and raise the peak by itself.
    few, many = (b"".join([head, *[row] * count, end]) for count in (120_000, 480_000))
    with serving(lambda _: Reply(few)) as service:
        fetch_only(staging, service.url, pages=None, body=body, max_bytes=1 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with serving(lambda _: Reply(many)) as service:
        manifest = fetch_only(staging, service.url, pages=None, body=body, max_bytes=1 << 30)

    grown_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert manifest.rows >= 480_000
    assert grown_mib < 200  # of some 480 read


@by_body
def test_f49_a_zipped_body_of_several_members_is_read_to_its_end(
    staging: Staging, body: Body, sent: bytes
) -> None:
    """As `cat a.gz b.gz` makes it; what ends with the first member is a cut that nobody sees."""
    half = len(sent) // 2
    zipped = gzip.compress(sent[:half]) + gzip.compress(sent[half:])
    with serving(lambda _: Reply(zipped, headers={"Content-Encoding": "gzip"})) as service:
        assert fetch(staging, service.url, pages=None, body=body).to_pylist() == ROWS


def test_two_lists_of_one_name_are_not_read_as_one(staging: Staging) -> None:
    twice = b'{"items": [{"id": 1, "name": "a"}], "items": [{"id": 2, "name": "b"}]}'
    with (
        serving(lambda _: Reply(twice)) as service,
        pytest.raises(ContractError, match="an object with two lists 'items'"),
    ):
        fetch(staging, service.url, pages=None)


def test_a_damaged_parquet_file_ends_the_fetch(staging: Staging) -> None:
    """Some damage is told as an error of input and output, which would be tried again."""
    good = parquet()
    for place in range(4, len(good) - 8, 37):
        damaged = good[:place] + b"\xff" * 8 + good[place + 8 :]
        with (
            serving(lambda _, sent=damaged: Reply(sent)) as service,  # type: ignore[misc]
            suppress(ContractError),
        ):
            fetch(staging, service.url, pages=None, body=ParquetBody())
