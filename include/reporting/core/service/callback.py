"""Callbacks: an address that is good for one request, and what was said there.

The address holds what it is for, signed, so that nothing needs to be looked up to know whether to
believe it. The first verdict on a request counts; a later one that says otherwise is kept beside
it and changes nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from reporting.core.run import RunId
from reporting.core.service.request_record import FOLDER, RequestRecords
from reporting.errors import InputError

if TYPE_CHECKING:
    from reporting.core.objects import Bucket

PURPOSE = "reporting callback"
MAX_BYTES = 64 * 1024
CLOCK_SKEW = timedelta(minutes=5)


@dataclass(frozen=True)
class Awaited:
    """What a callback is about.

    Attributes:
        report: name of the report.
        run_id: Airflow run.
        source: source that asked.
        key: idempotency key of the request.
        until: ISO instant after which it is too late.
    """

    report: str
    run_id: str
    source: str
    key: str
    until: str

    @property
    def prefix(self) -> str:
        """Where what was said is kept."""
        return f"{RunId(self.report, self.run_id).prefix}{FOLDER}/{self.source}/{self.key}/"


def sign(awaited: Awaited, secret: str) -> str:
    """Return the token that goes into the address."""
    from itsdangerous import URLSafeSerializer

    return str(URLSafeSerializer(secret, salt=PURPOSE).dumps(asdict(awaited)))


def awaited_by(token: str, secret: str, now: datetime) -> Awaited:
    """Return what a token is for.

    Raises:
        InputError: it was not signed by us, or it is too late.
    """
    from itsdangerous import BadData, URLSafeSerializer

    try:
        awaited = Awaited(**URLSafeSerializer(secret, salt=PURPOSE).loads(token))
    except (BadData, TypeError):
        raise InputError("This address was not given out here.") from None
    if now > datetime.fromisoformat(awaited.until) + CLOCK_SKEW:
        raise InputError("The time to call back is over.")
    return awaited


def keep_verdict(bucket: Bucket, awaited: Awaited, said: Mapping[str, Any]) -> str:
    """Keep what was said; it is durable when this returns.

    Returns:
        `kept`, `repeated`, or `contradicts` what was said before, which counts; `not awaited`
        when the run has been cleaned up, after which nothing would remove what is kept.
    """
    run = RunId(awaited.report, awaited.run_id)
    if RequestRecords(bucket, run).read(awaited.source) is None:
        return "not awaited"
    body = json.dumps({"said": dict(said), "at": datetime.now(UTC).isoformat()}).encode()
    before = verdict(bucket, awaited)
    if before is None:
        bucket.put(f"{awaited.prefix}verdict.json", body, "application/json")
        return "kept"
    if before == dict(said):
        return "repeated"
    digest = hashlib.sha256(json.dumps(dict(said), sort_keys=True).encode()).hexdigest()[:16]
    bucket.put(f"{awaited.prefix}contrary-{digest}.json", body, "application/json")
    return "contradicts"


def verdict(bucket: Bucket, awaited: Awaited) -> dict[str, Any] | None:
    """Return what was said first, or None."""
    body = bucket.get(f"{awaited.prefix}verdict.json")
    if body is None:
        return None
    said: dict[str, Any] = json.loads(body)["said"]
    return said
