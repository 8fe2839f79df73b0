"""What every source says about itself, whatever it is asked through."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from reporting.definition.checked import checked
from reporting.definition.columns import Column, ColumnType, columns_from
from reporting.definition.fresh import Fresh  # noqa: TC001 - `checked` reads annotations
from reporting.definition.names import check_line, check_name
from reporting.errors import DefinitionError, choices

SHORTEST_LIMIT, LONGEST_LIMIT = timedelta(seconds=1), timedelta(days=7)
LARGEST_QUARANTINE = 10_000


@dataclass(frozen=True, kw_only=True)
class SourceRules:
    """What every source may say about itself.

    Attributes:
        columns: `{name: type}`, see `reporting.definition.columns`. They are the contract: a source
            that has others fails, naming each.
        may_be_absent: columns that may be in none of the rows, because the service leaves out what
            is NULL; any other declared field that no row has fails the fetch.
        required: a run without a required source fails; without an optional one it publishes
            and says so.
        min_rows: fewer rows than this and the source counts as incomplete; 0 says that an empty
            source is fine.
        fresh: how old the newest row may be.
        quarantine: how many rows that do not fit `columns` may be set aside, each with its reason;
            more, or the first one when it is 0, fail the fetch.
        pool: the Airflow pool whose slots its fetch takes, to bound how many ask one database at
            once.
        time_limit: a fetch that takes longer is ended and counts as failed.
        stalled_after: a fetch that has read nothing for so long is ended and tried again; a query
            may think for so long before its first row.
    """

    columns: Mapping[str, ColumnType] = field(default_factory=dict)
    may_be_absent: Sequence[str] = ()
    required: bool = True
    min_rows: int = 1
    fresh: Fresh | None = None
    quarantine: int = 0
    pool: str = "default_pool"
    time_limit: timedelta = timedelta(minutes=30)
    stalled_after: timedelta = timedelta(minutes=15)


@checked
@dataclass(frozen=True)
class Source(SourceRules):
    """Base of all sources: a name and the Airflow connection it is asked through.

    Attributes:
        name: unique within the report; part of the task `fetch_<name>`.
        conn_id: Airflow connection it is asked through.
    """

    name: str
    conn_id: str

    def __post_init__(self) -> None:
        """Refuse an invalid name, no columns, or limits that make no sense."""
        check_name("Source", self.name)
        self._check_columns()
        if self.min_rows < 0:
            raise DefinitionError(
                f"Source {self.name!r}: min_rows={self.min_rows}; allowed: 0 or more."
            )
        for limit in ("time_limit", "stalled_after"):
            if not SHORTEST_LIMIT <= getattr(self, limit) <= LONGEST_LIMIT:
                raise DefinitionError(
                    f"Source {self.name!r}: {limit}={getattr(self, limit)}; "
                    f"allowed: {SHORTEST_LIMIT} to {LONGEST_LIMIT}."
                )
        if not 0 <= self.quarantine <= LARGEST_QUARANTINE:
            raise DefinitionError(
                f"Source {self.name!r}: quarantine={self.quarantine}; "
                f"allowed: 0 to {LARGEST_QUARANTINE:,} rows."
            )
        self._check_own()

    def _check_columns(self) -> None:
        if not self.columns and self._needs_columns:
            raise DefinitionError(f"Source {self.name!r}: columns is empty; declare each column.")
        columns = columns_from(f"Source {self.name!r}", self.columns)
        if self.fresh is not None:
            self.fresh.check(f"Source {self.name!r}", columns)
        nullable = tuple(column.name for column in columns if column.nullable)
        for name in self.may_be_absent:
            if name not in nullable:
                raise DefinitionError(
                    f"Source {self.name!r}: may_be_absent names {name!r}, which is no column that "
                    f"may be NULL; {choices(nullable, name)}"
                )

    @property
    def _needs_columns(self) -> bool:
        return True

    def _check_own(self) -> None:
        """Refuse what makes no sense for this kind of source: blank texts, here."""
        for name in ("conn_id", "pool", *self._texts):
            check_line(f"Source {self.name!r}: {name}", getattr(self, name))

    @property
    def _texts(self) -> tuple[str, ...]:
        return ()

    def check_use(self, params: Collection[str], folder: Path) -> None:
        """Refuse what does not fit the report; called by the report.

        Args:
            params: the report's params; they fill placeholders.
            folder: where the report's own file lies.
        """

    @property
    def schema(self) -> tuple[Column, ...]:
        """The declared columns in order."""
        return columns_from(f"Source {self.name!r}", self.columns)

    @property
    def longest_wait(self) -> timedelta:
        """How long its fetch may wait without a worker."""
        return self.time_limit

    @property
    def task_id(self) -> str:
        """The task that fetches this source."""
        return f"fetch_{self.name}"
