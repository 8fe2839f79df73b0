"""Fetches one CSV object; what was read is exactly one version of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporting.core.fetch.bodies import take_csv
from reporting.core.intake import Intake
from reporting.core.objects import MISSING
from reporting.definition.placeholders import filled
from reporting.errors import IntegrityError, TransientError

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

    from reporting.core.run import Run
    from reporting.core.staging import Attempt
    from reporting.definition.sources import S3Source


def fetch_s3(source: S3Source, client: S3Client, run: Run, attempt: Attempt) -> dict[str, Any]:
    """Stream the object's rows into `attempt`.

    Returns:
        Facts for the manifest: `key`, `etag`, `bytes`.

    Raises:
        TransientError: the object is not there (yet).
        ContractError: its rows do not fit the declared columns.
        IntegrityError: the body was cut off.
    """
    from botocore.exceptions import ClientError

    key = filled(source.key, {"period": run.period.key}) or ""
    where = f"Source {source.name!r}: object {source.bucket}/{key}"
    try:
        answer = client.get_object(Bucket=source.bucket, Key=key)
    except ClientError as error:
        if error.response["Error"]["Code"] in MISSING:
            raise TransientError(f"{where} does not exist (yet).") from None
        raise
    body: Any = answer["Body"]
    take_csv(body, source.schema, Intake(source, attempt, where))
    if body.tell() != answer["ContentLength"]:
        raise IntegrityError(f"{where} was cut off after {body.tell()} bytes.")
    return {"key": key, "etag": answer["ETag"], "bytes": answer["ContentLength"]}
