"""Computed tables, persisted under the run and reused when nothing they depend on has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reporting.core.arrow import arrow_type
from reporting.core.decimals import fitted_within
from reporting.core.fit import conform
from reporting.core.run import canonical
from reporting.core.verified import verified_bytes
from reporting.errors import ContractError, IntegrityError, StagingGoneError, choices

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from reporting.core.inputs import Inputs
    from reporting.core.manifest import Manifest
    from reporting.core.staging import Staging
    from reporting.definition.columns import Column
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
            StagingGoneError: one is not there, or they stem from different computations.
        """
        found = {table.name: self._manifest(table) for table in self.report.tables}
        if gone := [name for name, manifest in found.items() if manifest is None]:
            raise StagingGoneError(
                f"The computed tables {', '.join(gone)} are not staged any more; "
                "clear compute with its downstream, or the fetches too if they are gone."
            )
        whole = {name: manifest for name, manifest in found.items() if manifest is not None}
        if len({manifest.facts.get(FINGERPRINT) for manifest in whole.values()}) > 1:
            raise StagingGoneError(
                "The computed tables stem from different computations, the last of which broke "
                "off; clear compute with its downstream."
            )
        return whole

    def reusable(self, fingerprint: str) -> dict[str, Manifest] | None:
        """Return the manifests when all tables were computed from just this input and are whole.

        Every part is read and verified: a result that only seems to be there would be reused,
        and fail in `store`, each time that compute is cleared.
        """
        try:
            found = self.manifests()
            if any(m.facts.get(FINGERPRINT) != fingerprint for m in found.values()):
                return None
            for part in (part for manifest in found.values() for part in manifest.parts):
                verified_bytes(self.staging.bucket, part, clear="compute")
        except (StagingGoneError, IntegrityError):
            return None
        return found

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
    """Return what a result depends on: a digest of its input, a dot, one of code and tables."""
    parts = {
        "tables": [[t.name, list(t.columns.items()), list(t.key)] for t in report.tables],
        "code": code,
    }
    return f"{input_digest(inputs)}.{_digest(parts)}"


def demand_same_input(fingerprint: str, inputs: Inputs) -> None:
    """Refuse a result that was computed from other input than is staged now.

    Raises:
        StagingGoneError: a source was fetched again since.
    """
    if fingerprint.partition(".")[0] != input_digest(inputs):
        raise StagingGoneError(
            "The computed tables stem from other input than is staged now; "
            "clear compute with its downstream."
        )


def input_digest(inputs: Inputs) -> str:
    """Return staged data, period and params as one digest."""
    parts: dict[str, Any] = {
        "period": [inputs.run.period.start.isoformat(), inputs.run.period.end.isoformat()],
        "timezone": inputs.run.period.timezone,
        "params": canonical(inputs.run.params),
        "sources": {name: m.digest for name, m in sorted(inputs.manifests.items())},
        "missing": sorted(inputs.missing),
    }
    return _digest(parts)


def _digest(parts: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def result_tables(frames: Mapping[str, pd.DataFrame], report: Report) -> dict[str, pa.Table]:
    """Return the frames of a compute function as tables of exactly the declared types.

    A missing value of pandas is NULL, NaN in a column that is not Arrow-backed included; what
    else may become what is written in `reporting.core.typed_columns`.

    Raises:
        ContractError: a table is missing or unknown, or a frame does not keep its declaration.
    """
    if not isinstance(frames, Mapping):
        raise ContractError(
            f"compute returned a {type(frames).__name__}; allowed: a frame per table name."
        )
    declared = tuple(table.name for table in report.tables)
    for name in frames:
        if name not in declared:
            raise ContractError(f"compute returned {name!r}; {choices(declared, name)}")
    if missing := [name for name in declared if name not in frames]:
        raise ContractError(f"compute did not return {', '.join(missing)}; every table is due.")
    return {table.name: _table(frames[table.name], table) for table in report.tables}


def _table(frame: object, table: Table) -> pa.Table:
    import pandas as pd
    import pyarrow as pa

    where = f"Table {table.name!r}"
    if not isinstance(frame, pd.DataFrame):
        raise ContractError(f"{where}: got a {type(frame).__name__}; allowed: a pandas DataFrame.")
    names = [str(name) for name in frame.columns]
    kinds = {column.name: column for column in table.schema}
    arrays = [
        _array(frame.iloc[:, place], kinds.get(name), f"{where}, column {name!r}")
        for place, name in enumerate(names)
    ]
    made = conform(pa.Table.from_arrays(arrays, names=names), table.schema, where)
    return _with_key(made, table)


def _array(values: pd.Series[Any], column: Column | None, where: str) -> pa.Array | pa.ChunkedArray:
    """Return a column in the Arrow type of its values; the declared one is `conform`'s work."""
    import pyarrow as pa

    try:
        if column is not None and column.kind == "decimal" and values.dtype == object:
            # Arrow would guess one scale for the column.
            exact = values.map(lambda value: fitted_within(value, column))
            return pa.array(exact, arrow_type(column), from_pandas=True)
        return pa.array(values, from_pandas=True)
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as error:
        raise ContractError(f"{where}: {error}") from None


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
