"""The page of the warehouse: the package's own tables, and the relations of results."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.generator.markdown import code, joined, page, table

from reporting.core.warehouse import relation
from reporting.core.warehouse.schema import DDL

_TABLE = re.compile(
    r"((?:^-- [^\n]*\n)+)CREATE TABLE IF NOT EXISTS (\S+) \(\n(.*?)^\);", re.MULTILINE | re.DOTALL
)
# A column starts in small letters, a constraint in capital ones.
_COLUMN = re.compile(r"^ +([a-z]\w*) +([^,\n]*?),? *(?:-- (.*))?$", re.MULTILINE)


def warehouse() -> str:
    """Return the page."""
    ddl = DDL.read_text(encoding="utf-8")
    return page(
        "Warehouse",
        "This page lists the tables and views in the report warehouse.",
        "## Published figures: schema `results`",
        (relation.__doc__ or "").strip(),
        "## Column types",
        table(["declared", "in PostgreSQL"], _types()),
        "## Records of the package: schema `reporting`",
        "Read them as you like. Only the package writes them.",
        *(_section(*found) for found in _TABLE.findall(ddl)),
    )


def _types() -> list[list[str]]:
    plain = [[code(word), code(kind)] for word, kind in relation.SQL_TYPES.items()]
    return [*plain, [code("decimal(p,s)"), code("numeric(p,s)")]]


def _section(comment: str, name: str, body: str) -> str:
    meaning = joined(re.sub(r"^-- ", "", comment, flags=re.MULTILINE))
    rows = [[code(column), code(kind), says] for column, kind, says in columns(body)]
    return f"### {name}\n\n{meaning}\n\n{table(['column', 'type', 'meaning'], rows)}"


def columns(ddl: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of every column; the meaning is the comment beside it."""
    for name, kind, meaning in _COLUMN.findall(ddl):
        yield name, re.sub(r"\s+", " ", kind), meaning
