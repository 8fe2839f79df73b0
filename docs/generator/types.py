"""The page of types: what a value is at each place it passes, from the source to the file."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

from docs.generator.markdown import code, page, table

from reporting.core import text_columns, typed_columns
from reporting.core.arrow import arrow_type
from reporting.core.export import exact_text, xlsx_cells
from reporting.core.fetch import json_rows, postgres_types
from reporting.core.fetch.postgres_types import ALSO_FROM, KINDS, MONEY, UNBOUNDED
from reporting.core.warehouse.relation import sql_type
from reporting.definition import columns
from reporting.definition.columns import PLAIN_TYPES, Column, column_from

SPELLED = {
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
    "bool": "boolean",
}
UNSPECIFIC = "text, varchar, char, name, enum, inet, xml, every other type"


def types() -> str:
    """Return the page."""
    return page(
        "Types",
        "This page lists the types of columns, and what a value is at each place it passes.",
        "## Words of a definition",
        _doc(columns),
        "## From PostgreSQL",
        _rest(postgres_types),
        table(["PostgreSQL", "undeclared", "may also be declared as"], _postgres_rows()),
        "An array is the same with `[]`, and a domain is the type beneath it. Anything else that a "
        "query gives is reported as changed; cast it in the query.",
        "## From JSON",
        _doc(json_rows),
        "## From text: CSV, and what JSON and PostgreSQL write",
        _doc(text_columns),
        "## In a frame and in the warehouse",
        "Staged data is Parquet with the Arrow type; a frame has pandas' Arrow-backed type of it.",
        table(["declared", "Arrow and Parquet", "in a frame", "in the warehouse"], _kept_rows()),
        "## From a frame of `compute`",
        _doc(typed_columns),
        "## In CSV files",
        _doc(exact_text),
        "## In XLSX files",
        _doc(xlsx_cells),
    )


def _doc(module: ModuleType) -> str:
    return inspect.cleandoc(module.__doc__ or "").partition("\n\n")[2].strip()


def _rest(module: ModuleType) -> str:
    """Return the last paragraph of a docstring: its first ones speak of the code."""
    return inspect.cleandoc(module.__doc__ or "").rpartition("\n\n")[2].strip()


def _postgres_rows() -> list[list[str]]:
    rows = [
        [SPELLED.get(base, base), code(_inferred(base, kind)), _others(kind, base)]
        for base, kind in KINDS.items()
    ]
    rows.insert(rows.index(next(row for row in rows if row[0] == "numeric")), _declared_numeric())
    return [*rows, [UNSPECIFIC, code("text"), ""]]


def _inferred(base: str, kind: str) -> str:
    if kind != "decimal":
        return kind
    precision, scale = MONEY if base == "money" else UNBOUNDED
    return f"decimal({precision},{scale})"


def _declared_numeric() -> list[str]:
    return ["numeric(p,s)", code("decimal(p,s)"), _others("decimal", "numeric")]


def _others(kind: str, base: str) -> str:
    words = [
        declared for declared, given in ALSO_FROM.items() if kind in given and declared != kind
    ]
    if kind == "decimal":
        words = [*words, "another decimal"] if base == "numeric" else ["another decimal"]
    return ", ".join(re.sub(r"\Adecimal\Z", "decimal(p,s)", word) for word in words)


def _kept_rows() -> list[list[str]]:
    words = [*PLAIN_TYPES, "decimal(12,2)", "int64[]"]
    return [_kept(column_from("types", "v", word)) for word in words]


def _kept(column: Column) -> list[str]:
    import pandas as pd

    arrow = arrow_type(column)
    return [code(column.type), code(arrow), code(pd.ArrowDtype(arrow)), code(sql_type(column))]
