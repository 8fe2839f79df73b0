"""Looks at drops in a real store, and reads them as a fetch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from reporting.core.fetch.s3 import read_drop
from reporting.core.fetch.s3_landing import Landing
from reporting.core.fetch.s3_look import Look, look
from reporting.core.fetch.s3_sought import sought_by
from reporting.core.inputs import read_part
from reporting.core.manifest import Manifest
from tests.specimens import a_run

if TYPE_CHECKING:
    from reporting.core.staging import Staging
    from reporting.definition.drops import S3Source


def landing_of(source: S3Source, client: Any) -> Landing:
    """Return the bucket of a source."""
    return Landing(client, source.bucket, source.conn_id, source.name)


def looked(source: S3Source, client: Any, before: str = "") -> Look:
    """Look once for the drop of 2024-05-01."""
    return look(landing_of(source, client), sought_by(source, a_run().period.key), before)


def fetched(staging: Staging, source: S3Source, client: Any, found: Look | None = None) -> Manifest:
    """Read a drop, which must be complete, and commit it."""
    found = found or looked(source, client)
    assert found.lacks == ""
    with staging.attempt(source.name, source.schema) as attempt:
        return attempt.commit(read_drop(source, landing_of(source, client), found, attempt))


def rows_of(staging: Staging, manifest: Manifest) -> pa.Table:
    """Return what is staged."""
    return pa.concat_tables(
        read_part(staging.bucket, part, None, "fetch") for part in manifest.parts
    )


class Meddled:
    """A client before whose first call of one kind something else happens to the bucket."""

    def __init__(self, client: Any, call: str, happens: Callable[[], Any]) -> None:
        """Keep what happens before `call`."""
        self._client = client
        self._call = call
        self._happens: Callable[[], Any] | None = happens

    def __getattr__(self, name: str) -> Any:
        """Return the client's own method, after what happens."""
        if name == self._call and self._happens is not None:
            happens, self._happens = self._happens, None
            happens()
        return getattr(self._client, name)
