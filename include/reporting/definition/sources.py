"""Sources: where the data of a report comes from, one class per way of asking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from reporting.definition.columns import Column, columns_from
from reporting.definition.names import check_name
from reporting.errors import DefinitionError


@dataclass(frozen=True, kw_only=True)
class SourceRules:
    """What every source may say about itself.

    Attributes:
        columns: `{name: type}`, see `reporting.definition.columns`.
        required: a run without a required source fails; without an optional one it publishes
            and says so.
        min_rows: fewer rows than this and the source counts as incomplete.
        time_limit: a fetch that takes longer is ended and counts as failed.
    """

    columns: Mapping[str, str]
    required: bool = True
    min_rows: int = 0
    time_limit: timedelta = timedelta(minutes=30)


@dataclass(frozen=True)
class Source(SourceRules):
    """Base of all sources: a name and the Airflow connection it is asked through."""

    name: str
    conn_id: str

    def __post_init__(self) -> None:
        """Refuse an invalid name, no columns, or limits that make no sense."""
        check_name("Source", self.name)
        if not self.columns:
            raise DefinitionError(f"Source {self.name!r}: columns is empty; declare each column.")
        columns_from(f"Source {self.name!r}", self.columns)
        if self.min_rows < 0:
            raise DefinitionError(
                f"Source {self.name!r}: min_rows={self.min_rows}; allowed: 0 or more."
            )
        if self.time_limit <= timedelta(0):
            raise DefinitionError(
                f"Source {self.name!r}: time_limit={self.time_limit}; allowed: more than 0."
            )

    @property
    def schema(self) -> tuple[Column, ...]:
        """The declared columns in order."""
        return columns_from(f"Source {self.name!r}", self.columns)

    @property
    def task_id(self) -> str:
        """The task that fetches this source."""
        return f"fetch_{self.name}"


@dataclass(frozen=True)
class PostgresSource(Source):
    """Rows of one query on a PostgreSQL database.

    Attributes:
        sql: the query, or the name of a `.sql` file beside the DAG file. It may use
            `%(period_start)s`, `%(period_end)s`, `%(period)s` and `%(<param>)s`; a plain percent
            sign is written `%%`.
    """

    sql: str


@dataclass(frozen=True)
class CursorPages:
    """Pages that name the next one: the page's `field` is sent back as query `param`.

    Attributes:
        field: name in the answer that holds the next cursor; null or absent ends the reading.
        param: name of the query parameter that carries it.
        items: name in the answer that holds the rows.
    """

    field: str
    param: str = "cursor"
    items: str = "items"


@dataclass(frozen=True)
class HttpSource(Source):
    """Rows of a JSON service, read page by page.

    Attributes:
        path: path below the connection's host.
        pages: how to get from one page to the next.
        query: query parameters; `{period_start}`, `{period_end}`, `{period}` and `{<param>}` in
            a value are replaced.
        connect_timeout: limit for opening a connection, seconds.
        read_timeout: limit for silence while reading an answer, seconds.
    """

    path: str
    pages: CursorPages
    query: Mapping[str, str] = field(default_factory=dict)
    connect_timeout: float = 5.0
    read_timeout: float = 30.0


@dataclass(frozen=True)
class S3Source(Source):
    """Rows of one CSV object (UTF-8, with a header line) that another system keeps.

    Attributes:
        key: the object's key; `{period}` is replaced.
        bucket: its bucket.
    """

    key: str
    bucket: str = "landing"
