"""What staged data was asked for: its source as declared, apart from limits, and by which run.

A source's name says where its data is staged, not what the data is. Between a run and a clear a
name may come to mean another query, and a schedule or the default of a param may change.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporting.core.run import canonical
from reporting.definition.sources import PostgresSource

if TYPE_CHECKING:
    from reporting.core.run import Run
    from reporting.definition.source import Source

# They change how, when or whether a source is read, and none of its rows. The columns are in the
# manifest by themselves.
NOT_THE_ROWS = frozenset(
    {
        "name", "columns", "may_be_absent", "required", "min_rows", "fresh", "quarantine",
        "pool", "time_limit", "stalled_after", "shards", "wait", "first_pause", "longest_pause",
        "callback_field", "connect_timeout", "read_timeout", "max_bytes",
    }
)  # fmt: skip


def origin_of(source: Source, folder: Path, run: Run) -> str:
    """Return a digest of all that decides which rows a fetch of the source brings.

    Args:
        source: as it is declared now.
        folder: where the report's own file lies.
        run: whose period and params fill its placeholders.

    Raises:
        DefinitionError: the file of its query is gone.
    """
    said: dict[str, Any] = {
        field.name: getattr(source, field.name)
        for field in fields(source)
        if field.name not in NOT_THE_ROWS
    }
    if isinstance(source, PostgresSource):
        said["sql"] = source.text(folder)
    period = [run.period.start, run.period.end, run.period.timezone]
    told = [type(source).__name__, said, period, canonical(run.params)]
    text = json.dumps(told, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
