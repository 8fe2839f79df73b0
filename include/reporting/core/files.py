"""Makes the files of a release and puts them into the reports bucket."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from uuid import uuid4

from reporting.core.export.csv_file import write_csv
from reporting.core.export.xlsx_file import write_xlsx
from reporting.definition.tables import Csv, Export

if TYPE_CHECKING:
    import pyarrow as pa

    from reporting.core.objects import Bucket
    from reporting.core.run import Run


@dataclass(frozen=True)
class FileFacts:
    """What a file was when it was written, to know later whether it still is.

    Attributes:
        bytes: size.
        sha256: hex digest of its bytes.
        etag: what the store calls this version of it.
    """

    bytes: int
    sha256: str
    etag: str


@dataclass(frozen=True)
class ReportFiles:
    """The files of one run: `<report>/<period>/<task key>/<attempt>/<report>_<table>.<suffix>`."""

    bucket: Bucket
    report: str
    task_key: str

    def write(
        self, run: Run, tables: Mapping[str, pa.Table], exports: tuple[Export, ...]
    ) -> dict[str, FileFacts]:
        """Write every table in every format and return facts per key in the reports bucket."""
        prefix = f"{self._prefix(run.period.key)}{uuid4().hex[:12]}/"
        written = {}
        with TemporaryDirectory() as folder:
            for name, table in tables.items():
                for export in exports:
                    path = Path(folder) / f"{self.report}_{name}.{export.suffix}"
                    _write(export, name, table, path, run.period.timezone)
                    written[prefix + path.name] = self._put(path, prefix + path.name)
        return written

    def discard_unpublished(self, period: str, published: frozenset[str]) -> int:
        """Remove the run's files that no release names; return how many."""
        prefix = self._prefix(period)
        stray = [key for key in self.bucket.keys(prefix) if key not in published]
        return self.bucket.delete(stray) + self.bucket.abort_uploads(prefix)

    def _put(self, path: Path, key: str) -> FileFacts:
        self.bucket.client.upload_file(str(path), self.bucket.name, key)
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        etag = self.bucket.client.head_object(Bucket=self.bucket.name, Key=key)["ETag"]
        return FileFacts(path.stat().st_size, digest, etag)

    def _prefix(self, period: str) -> str:
        return f"{self.report}/{period}/{self.task_key}/"


def _write(export: Export, name: str, table: pa.Table, path: Path, timezone: str) -> None:
    if isinstance(export, Csv):
        write_csv(table, path, timezone=timezone)
    else:
        write_xlsx({name: table}, path, timezone=timezone)
