"""Fetches from a service whose answers a test writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from reporting.core.fetch.endpoint import Endpoint
from reporting.core.fetch.http import fetch_http
from reporting.core.inputs import read_part
from reporting.core.manifest import Manifest
from reporting.core.staging import Staging
from tests.integration.scripted_service import Reply, Request
from tests.specimens import a_run, an_http_source

pytestmark = pytest.mark.integration

SECRET = "S3CR3T-token"


def fetch_only(
    staging: Staging, endpoint: str | Endpoint, *, params: Any = None, **source: Any
) -> Manifest:
    declared = an_http_source(**source)
    at = Endpoint(endpoint) if isinstance(endpoint, str) else endpoint
    with staging.attempt("orders", declared.schema) as attempt:
        return attempt.commit(fetch_http(declared, at, a_run(params=params), attempt))


def fetch(staging: Staging, endpoint: str | Endpoint, **source: Any) -> pa.Table:
    manifest = fetch_only(staging, endpoint, **source)
    return pa.concat_tables(
        read_part(staging.bucket, part, None, "fetch") for part in manifest.parts
    )


def rows(first: int, count: int) -> list[dict[str, Any]]:
    return [{"id": number, "name": "x"} for number in range(first, first + count)]


def by_cursor(pages: dict[str | None, Reply]) -> Callable[[Request], Reply]:
    return lambda request: pages[request.query.get("cursor")]


def nothing_is_left(staging: Staging) -> bool:
    return list(staging.bucket.keys(staging.run.prefix)) == []
