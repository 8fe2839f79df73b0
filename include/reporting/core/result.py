"""Computed tables, persisted under the run and reused when nothing they depend on has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.arrow import arrow_schema, conform
from reporting.core.run import canonical
from reporting.errors import ContractError, StagingGoneError, choices

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from reporting.core.inputs import Inputs
    from reporting.core.manifest import Manifest
    from reporting.core.staging import Staging
    from reporting.definition.report import Report
    from reporting.definition.tables import Table

PREFIX = "_result_"  # no source name starts with _
FINGERPRINT = "fingerprint"


@dataclass(frozen=True)
class Results:
    """The result tables of one run in staging."""

    staging: Staging
    report: Report

    def manifests(self) -> dict[str, Manifest]:
        """Return the committed manifest of every table.

        Raises:
            StagingGoneError: one is not there.
        """
        found = {table.name: self._manifest(table) for table in self.report.tables}
        if gone := [name for name, manifest in found.items() if manifest is None]:
            raise StagingGoneError(
                f"The computed tables {', '.join(gone)} are not staged any more; "
                "clear compute with its downstream, or the fetches too if they are gone."
            )
        return {name: manifest for name, manifest in found.items() if manifest is not None}

    def reusable(self, fingerprint: str) -> dict[str, Manifest] | None:
        """Return the manifests when all tables were computed from just this input."""
        try:
            found = self.manifests()
        except StagingGoneError:
            return None
        same = all(m.facts.get(FINGERPRINT) == fingerprint for m in found.values())
        return found if same else None

    def persist(self, tables: Mapping[str, pa.Table], fingerprint: str) -> dict[str, Manifest]:
        """Stage every table under the run."""
        done = {}
        for table in self.report.tables:
            with self.staging.attempt(PREFIX + table.name, table.schema) as attempt:
                attempt.writer.write(tables[table.name])
                done[table.name] = attempt.commit({FINGERPRINT: fingerprint})
        return done

    def _manifest(self, table: Table) -> Manifest | None:
        return self.staging.manifest(PREFIX + table.name)


def fingerprint_of(inputs: Inputs, report: Report, code: str) -> str:
    """Return what a result depends on as one digest: staged data, params, code, table shapes."""
    parts: dict[str, Any] = {
        "period": inputs.run.period.key,
        "params": canonical(inputs.run.params),
        "sources": {name: m.digest for name, m in sorted(inputs.manifests.items())},
        "missing": sorted(inputs.missing),
        "tables": {t.name: [dict(t.columns), t.key] for t in report.tables},
        "code": code,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def result_tables(frames: Mapping[str, pd.DataFrame], report: Report) -> dict[str, pa.Table]:
    """Return the frames of a compute function as tables of exactly the declared types.

    Raises:
        ContractError: a table is missing or unknown, or a frame does not keep its declaration.
    """
    declared = tuple(table.name for table in report.tables)
    for name in frames:
        if name not in declared:
            raise ContractError(f"compute returned {name!r}; {choices(declared, name)}")
    if missing := [name for name in declared if name not in frames]:
        raise ContractError(f"compute did not return {', '.join(missing)}; every table is due.")
    return {table.name: _table(frames[table.name], table) for table in report.tables}


def _table(frame: pd.DataFrame, table: Table) -> pa.Table:
    import pyarrow as pa

    where = f"Table {table.name!r}"
    schema = arrow_schema(table.schema)
    unknown = set(frame.columns) ^ set(schema.names)
    if unknown:
        # conform() words the fault; the types do not matter for it
        bare = pa.table({name: pa.nulls(0) for name in frame.columns})
        return conform(bare, table.schema, where)
    try:
        made = pa.Table.from_pandas(frame[schema.names], schema=schema, preserve_index=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ContractError(f"{where}: {error}") from None
    return _with_key(conform(made, table.schema, where), table)


def _with_key(data: pa.Table, table: Table) -> pa.Table:
    for name in table.key:
        if data.column(name).null_count:
            raise ContractError(f"Table {table.name!r}: key column {name!r} holds NULL.")
    groups = data.group_by(table.key).aggregate([([], "count_all")])
    if groups.num_rows != data.num_rows:
        raise ContractError(
            f"Table {table.name!r}: {data.num_rows - groups.num_rows} rows repeat the key "
            f"({', '.join(table.key)}); each key may occur once."
        )
    return data
