"""What a store's refusal means: absence is one thing, a wrong credential another (F73)."""

from __future__ import annotations

import pytest
from botocore import exceptions as known

from reporting.core.fetch.s3_refusal import refusal
from reporting.errors import TerminalError, TransientError

pytestmark = pytest.mark.unit

WHERE = "Source 'orders': object landing/a.csv"


def said(error: Exception) -> tuple[type, str]:
    found = refusal(error, WHERE, "landing_conn")
    assert str(found).startswith(WHERE)
    return type(found), str(found)


def answered(status: int, code: str) -> tuple[type, str]:
    response = {
        "Error": {"Code": code, "Message": "with a secret"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    kind, text = said(known.ClientError(response, "GetObject"))  # type: ignore[arg-type]
    assert "secret" not in text
    return kind, text


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (403, "SignatureDoesNotMatch"),
        (403, "InvalidAccessKeyId"),
        (403, "InvalidObjectState"),
        (400, "ExpiredToken"),
        (301, "PermanentRedirect"),
    ],
)
def test_f73_a_refusal_is_final_and_names_the_connection(status: int, code: str) -> None:
    text = f"{WHERE}: the store refuses connection 'landing_conn': {status} {code}. Mend the"
    assert answered(status, code)[0] is TerminalError
    assert answered(status, code)[1].startswith(text)


def test_f73_a_forbidden_object_may_be_one_that_is_not_there() -> None:
    kind, text = answered(403, "AccessDenied")

    assert kind is TerminalError
    assert "'landing_conn': 403 AccessDenied. Allow it s3:GetObject and s3:ListBucket" in text
    assert "also answers so for an object that is not there" in text


def test_f73_a_bucket_that_is_not_there_is_final() -> None:
    kind, text = answered(404, "NoSuchBucket")

    assert kind is TerminalError
    assert "no such bucket, as connection 'landing_conn' sees it. Change `bucket`" in text


@pytest.mark.parametrize(
    ("status", "code"),
    [(500, "InternalError"), (503, "SlowDown"), (429, "TooManyRequests"), (400, "RequestTimeout")],
)
def test_a_busy_store_may_answer_later(status: int, code: str) -> None:
    assert answered(status, code) == (
        TransientError,
        f"{WHERE}: the store answered {status} {code}.",
    )


@pytest.mark.parametrize(
    ("status", "code"), [(404, "NoSuchKey"), (404, "NoSuchVersion"), (412, "PreconditionFailed")]
)
def test_f17_another_object_than_was_found_is_worth_another_look(status: int, code: str) -> None:
    kind, text = answered(status, code)

    assert kind is TransientError
    assert "was replaced or removed" in text


def test_what_never_reached_the_store() -> None:
    away = known.EndpointConnectionError(endpoint_url="http://user:secret@host")

    assert said(away) == (
        TransientError,
        f"{WHERE} could not be reached through 'landing_conn': EndpointConnectionError.",
    )
    assert said(known.NoCredentialsError()) == (
        TerminalError,
        f"{WHERE}: connection 'landing_conn' cannot be used: NoCredentialsError. Mend it.",
    )
