"""Reads a drop that is complete: each object in exactly the version that was found."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reporting.core.fetch.bodies import take_body
from reporting.core.fetch.field_drift import field_drift
from reporting.core.fetch.s3_look import digest
from reporting.core.intake import Intake
from reporting.errors import TransientError

if TYPE_CHECKING:
    from reporting.core.fetch.s3_landing import Landed, Landing
    from reporting.core.fetch.s3_list import Listed
    from reporting.core.fetch.s3_look import Look
    from reporting.core.staging import Attempt
    from reporting.definition.drops import S3Source

log = logging.getLogger(__name__)

NAMED_OBJECTS = 100


def read_drop(source: S3Source, landing: Landing, found: Look, attempt: Attempt) -> dict[str, Any]:
    """Stream the rows of all objects into `attempt`, in the order of their keys.

    Returns:
        Facts for the manifest, see `facts_of`.

    Raises:
        TransientError: an object is another by now, is cut off, or is not what its list says.
        ContractError: rows do not fit the declared columns.
    """
    objects = landing.pinned(found.objects)
    size = sum(landed.bytes for landed in objects)
    log.info("Source %r: reads %s objects, %s bytes.", source.name, len(objects), f"{size:,}")
    intake, fields = Intake(source, attempt), set[str]()
    for landed in objects:
        is_only = len(objects) == 1 and source.prefix is None
        intake.begin(landing.where(landed.key), "" if is_only else landed.key)
        fields |= _take(source, landing, landed, found.listed.get(landed.key), intake)
    return {**facts_of(source.bucket, objects), **field_drift(source, fields)}


def _take(
    source: S3Source, landing: Landing, landed: Landed, listed: Listed | None, intake: Intake
) -> set[str]:
    with landing.open(landed, "" if listed is None else listed.sha256) as body:
        fields = take_body(source.body, body, source.schema, intake)
        body.demand_whole()
    due = None if listed is None else listed.rows
    if due not in (None, intake.seen):
        raise TransientError(
            f"{intake.where} has {intake.seen} rows; the list of the drop says {due}."
        )
    return fields


def facts_of(bucket: str, objects: Sequence[Landed]) -> dict[str, Any]:
    """Return what was read, exactly: bucket, number, bytes, digest of all, and each of the first.

    The digest is the SHA-256 of a line of key, version, ETag and bytes per object, parted by NUL;
    it stands for those that are too many to be named.
    """
    return {
        "bucket": bucket,
        "objects": len(objects),
        "bytes": sum(landed.bytes for landed in objects),
        "digest": digest(objects),
        "read": [
            {
                "key": landed.key,
                "version": landed.version or None,
                "etag": landed.etag,
                "bytes": landed.bytes,
            }
            for landed in objects[:NAMED_OBJECTS]
        ],
    }
