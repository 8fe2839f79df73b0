"""Sources: where the data of a report comes from, one class per way of asking."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from reporting.definition.bodies import Body, JsonBody
from reporting.definition.checked import checked
from reporting.definition.pages import Pages
from reporting.definition.placeholders import BUILT_IN, check_placeholders
from reporting.definition.query import check_query, is_file, query_text
from reporting.definition.shards import Shards
from reporting.definition.source import Source
from reporting.errors import DefinitionError


@checked
@dataclass(frozen=True)
class PostgresSource(Source):
    """Rows of one query on a PostgreSQL database.

    Attributes:
        conn_id: Airflow connection of type `postgres`.
        sql: the query, or the name of a `.sql` file beside the DAG file. It may use
            `%(period_start)s`, `%(period_end)s`, `%(period)s` and `%(<param>)s`; a plain percent
            sign is written `%%`. Without `columns`, the database says which types it gives.
        shards: read in so many parts at once, all from one snapshot.
    """

    sql: str
    shards: Shards | None = None

    @property
    def _needs_columns(self) -> bool:
        # Without an optional source, compute gets an empty frame of its columns.
        return not self.required

    def _check_own(self) -> None:
        super()._check_own()
        if self.shards is not None and self.columns:
            self.shards.check(f"Source {self.name!r}", tuple(self.columns))
        if not self.sql.strip():
            raise DefinitionError(
                f"Source {self.name!r}: sql is blank; allowed: a query, or the name of a .sql file."
            )

    def check_use(self, params: Collection[str], folder: Path) -> None:
        """Refuse a missing file, and a placeholder that nothing fills."""
        where = f"Source {self.name!r}: {self.sql if is_file(self.sql) else 'sql'}"
        check_query(where, self.text(folder), (*BUILT_IN, *params))

    def text(self, folder: Path) -> str:
        """Return the query, read from a file of `folder` when `sql` names one.

        Raises:
            DefinitionError: there is no such file, or it holds no query.
        """
        return query_text(f"Source {self.name!r}", self.sql, folder)


@checked
@dataclass(frozen=True)
class HttpSource(Source):
    """Rows of a service: page by page, or one answer of any format.

    Attributes:
        conn_id: Airflow connection of type `http`.
        path: path below the connection's host.
        pages: how to get from one page to the next; None when one answer has all rows.
        body: what that one answer is.
        query: query parameters; `{period_start}`, `{period_end}`, `{period}` and `{<param>}` in
            a value are replaced, and a value that is only a param without a value is not sent.
        connect_timeout: limit for opening a connection, seconds.
        read_timeout: limit for silence while reading an answer, seconds.
        max_bytes: limit of one answer, after unzipping.
    """

    path: str
    pages: Pages | None = None
    body: Body = field(default_factory=JsonBody)
    query: Mapping[str, str] = field(default_factory=dict)
    connect_timeout: float = 5.0
    read_timeout: float = 30.0
    max_bytes: int = 256 * 1024 * 1024

    def _check_own(self) -> None:
        super()._check_own()
        if "?" in self.path or "#" in self.path or "://" in self.path:
            # The path is named in messages, so nothing secret may hide in it.
            raise DefinitionError(
                f"Source {self.name!r}: path={self.path.partition('?')[0]!r} and more; allowed: a "
                "path without host, ? and #; put parameters into query."
            )
        param = getattr(self.pages, "param", None)
        if param in self.query:
            raise DefinitionError(
                f"Source {self.name!r}: query parameter {param!r} is that of its pages; "
                "allowed: any other name."
            )
        if self.pages is not None and self.body != JsonBody():
            raise DefinitionError(
                f"Source {self.name!r}: pages are JSON, body={self.body}; allowed: one of them."
            )
        if self.max_bytes < 1:
            raise DefinitionError(
                f"Source {self.name!r}: max_bytes={self.max_bytes}; allowed: 1 or more."
            )
        for name in ("connect_timeout", "read_timeout"):
            if not 0 < getattr(self, name) < float("inf"):
                raise DefinitionError(
                    f"Source {self.name!r}: {name}={getattr(self, name)}; allowed: more than 0 s."
                )

    @property
    def _texts(self) -> tuple[str, ...]:
        return ("path",)

    def check_use(self, params: Collection[str], folder: Path) -> None:  # noqa: ARG002 - no file
        """Refuse a query value with a placeholder that nothing fills."""
        for name, text in self.query.items():
            where = f"Source {self.name!r}: query {name!r}"
            check_placeholders(where, text, (*BUILT_IN, *params))
