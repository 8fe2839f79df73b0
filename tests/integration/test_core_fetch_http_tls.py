"""A service in TLS: whom it does not trust is sent nothing, and it never goes on without TLS."""

from __future__ import annotations

import ssl
import time
from datetime import timedelta
from pathlib import Path

import pytest

from reporting.core.fetch.endpoint import Endpoint
from reporting.core.staging import Staging
from reporting.errors import TerminalError, TransientError
from tests.integration.hostile_http import dripping_head
from tests.integration.http_fetching import SECRET, fetch, nothing_is_left, rows
from tests.integration.own_certificate import own_certificate
from tests.integration.scripted_service import Reply, page, serving

pytestmark = pytest.mark.integration


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Return what a server shows; clients of this process trust it."""
    shown, trusted = own_certificate(tmp_path)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(trusted))
    return shown


def with_secrets(url: str) -> Endpoint:
    return Endpoint(url, ("u", SECRET), {"X-Api-Key": SECRET})


def test_f50_a_redirect_that_leaves_tls_gets_nothing(
    staging: Staging, context: ssl.SSLContext
) -> None:
    with serving(lambda _: page(*rows(0, 1))) as plain:
        down = Reply(status=302, headers={"Location": f"{plain.url}/v1/orders?key=x"})
        with serving(lambda _: down, context) as service, pytest.raises(TerminalError) as fault:
            fetch(staging, with_secrets(service.url))

    assert len(service.requests) == 1
    assert plain.requests == []
    assert "was pointed to http://127.0.0.1" in str(fault.value)
    assert nothing_is_left(staging)


def test_f50_a_redirect_within_tls_is_followed(staging: Staging, context: ssl.SSLContext) -> None:
    replies = iter([Reply(status=302, headers={"Location": "/v2"}), page(*rows(0, 2))])
    with serving(lambda _: next(replies), context) as service:
        assert fetch(staging, with_secrets(service.url)).num_rows == 2


def test_f84_headers_that_drip_in_tls_end_within_the_total_limit(
    staging: Staging, context: ssl.SSLContext
) -> None:
    limits = {"read_timeout": 60, "time_limit": timedelta(seconds=1)}
    began = time.monotonic()
    with (
        serving(lambda _: dripping_head(page()), context) as service,
        pytest.raises(TransientError, match="had not ended after 0:00:01"),
    ):
        fetch(staging, with_secrets(service.url), **limits)

    assert time.monotonic() - began < 30
    assert nothing_is_left(staging)


def test_a_certificate_that_nobody_vouches_for_is_sent_nothing(
    staging: Staging, tmp_path: Path
) -> None:
    context, _ = own_certificate(tmp_path)
    with (
        serving(lambda _: page(*rows(0, 1)), context) as service,
        pytest.raises(TransientError, match=r"at \S+ failed: TLS failed, self-signed certificate"),
    ):
        fetch(staging, with_secrets(service.url))

    assert service.requests == []
    assert nothing_is_left(staging)
