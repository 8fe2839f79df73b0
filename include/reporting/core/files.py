"""Makes the files of a release and puts them into the reports bucket."""

from __future__ import annotations

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
class ReportFiles:
    """The files of one run: `<report>/<period>/<task key>/<attempt>/<report>_<table>.<suffix>`."""

    bucket: Bucket
    report: str
    task_key: str

    def write(
        self, run: Run, tables: Mapping[str, pa.Table], exports: tuple[Export, ...]
    ) -> tuple[str, ...]:
        """Write every table in every format and return the keys in the reports bucket."""
        prefix = f"{self._prefix(run.period.key)}{uuid4().hex[:12]}/"
        keys = []
        with TemporaryDirectory() as folder:
            for name, table in tables.items():
                for export in exports:
                    path = Path(folder) / f"{self.report}_{name}.{export.suffix}"
                    _write(export, name, table, path, run.period.timezone)
                    self.bucket.client.upload_file(str(path), self.bucket.name, prefix + path.name)
                    keys.append(prefix + path.name)
        return tuple(keys)

    def discard_unpublished(self, period: str, published: frozenset[str]) -> int:
        """Remove the run's files that no release names; return how many."""
        prefix = self._prefix(period)
        stray = [key for key in self.bucket.keys(prefix) if key not in published]
        return self.bucket.delete(stray) + self.bucket.abort_uploads(prefix)

    def _prefix(self, period: str) -> str:
        return f"{self.report}/{period}/{self.task_key}/"


def _write(export: Export, name: str, table: pa.Table, path: Path, timezone: str) -> None:
    if isinstance(export, Csv):
        write_csv(table, path, timezone=timezone)
    else:
        write_xlsx({name: table}, path, timezone=timezone)
