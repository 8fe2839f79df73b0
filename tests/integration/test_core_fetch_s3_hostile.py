"""A store that plays a fault while an object is read: nothing is staged, and it is read again."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.config import Config

from reporting import CsvBody, NdjsonBody
from reporting.core.staging import Staging
from reporting.definition.bodies import Body
from reporting.errors import TransientError
from tests.integration import hostile_http as faults
from tests.integration.drop_fetching import fetched
from tests.integration.hostile_http import Fault, Hostile, named
from tests.integration.scripted_service import Reply, serving
from tests.specimens import an_s3_source

pytestmark = pytest.mark.integration

KNOWN = {"ETag": '"1"', "Last-Modified": "Wed, 01 May 2024 06:00:00 GMT"}
ROWS: list[tuple[Body, bytes]] = [
    (CsvBody(), b"id,name\n1,a\n2,b\n"),
    (NdjsonBody(), b'{"id": 1, "name": "a"}\n{"id": 2, "name": "b"}\n'),
]
LOST: list[Fault] = [faults.cut_length, faults.cut_short, faults.hung_up, faults.away]


def client(url: str) -> Any:
    config = Config(retries={"total_max_attempts": 1}, read_timeout=1)
    return boto3.client(
        "s3",
        endpoint_url=url,
        aws_access_key_id="a",
        aws_secret_access_key="b",
        region_name="us-east-1",
        config=config,
    )


def known(fault: Fault) -> Fault:
    """Let an answer that breaks off begin as one of the object."""

    def played(good: Reply) -> Reply:
        reply = fault(good)
        return Reply(reply.body, reply.status, {**KNOWN, **reply.headers}, None, reply.is_cut)

    return played


@pytest.mark.parametrize(("body", "sent"), ROWS, ids=["CsvBody", "NdjsonBody"])
@pytest.mark.parametrize("fault", LOST, ids=named(*LOST))
def test_f49_an_object_that_was_cut_off_is_read_again(
    staging: Staging, body: Body, sent: bytes, fault: Fault
) -> None:
    """The first answer is to the look, the second is read."""
    store = Hostile(lambda _: Reply(sent, headers=KNOWN), {2: known(fault)})
    source = an_s3_source(body=body)
    with serving(store.answer) as running:
        with pytest.raises(TransientError, match=r"Source .orders.: object landing/orders\.csv"):
            fetched(staging, source, client(running.url))
        assert list(staging.bucket.keys(staging.run.prefix)) == []

        assert fetched(staging, source, client(running.url)).rows == 2


def test_f84_a_store_that_falls_silent_is_left_in_time(staging: Staging) -> None:
    def silent(good: Reply) -> Reply:
        return Reply(good.body * 100, headers=KNOWN, pace=1.5)

    store = Hostile(lambda _: Reply(ROWS[0][1], headers=KNOWN), {2: silent})
    with serving(store.answer) as running, pytest.raises(TransientError, match="was cut off after"):
        fetched(staging, an_s3_source(), client(running.url))

    assert list(staging.bucket.keys(staging.run.prefix)) == []
