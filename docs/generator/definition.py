"""The page of everything a report file may write."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, Field, fields
from datetime import date, timedelta
from typing import Any

from docs.generator.docstrings import attributes, summary
from docs.generator.markdown import block, code, page, table

import reporting
from reporting.core.inputs import Inputs

ORDER = (
    "Report", "Daily", "Monthly", "Param", "OnSchedule", "UpstreamEvent",
    "PostgresSource", "Shards", "HttpSource", "CursorPages", "NumberPages", "LinkPages",
    "HttpJobSource", "Job", "MessageSource", "S3Source",
    "Exists", "Marker", "ListedIn", "Unchanged", "Fresh",
    "JsonBody", "NdjsonBody", "CsvBody", "ParquetBody",
    "Table", "Csv", "Xlsx",
    "Email", "AlertByEmail", "AlertBySlack", "NoticeBySlack",
    "Retry", "RunRetry",
)  # fmt: skip
# Never built by a report file, only read.
HANDED_OUT = (Inputs, reporting.Period)
INNER = {"run", "manifests", "schemas"}


def definition() -> str:
    """Return the page."""
    return page(
        "Definition",
        "This page lists every class a report file may use, with its fields.",
        "All classes are imported from `reporting`. `build_dag` comes from "
        "`reporting.airflow_edge.dag`, and `Inputs` from `reporting.core.inputs`.",
        "In the tables, `Schedule` is a `Daily` or a `Monthly`, `Source` is one of the classes "
        "whose name ends so, `Pages` one of the ways "
        "of paging, `Body` one of the bodies, `Complete` one of `Exists` to `Unchanged`, "
        "`Export` a `Csv` or an `Xlsx`, `Start` an `OnSchedule` or an `UpstreamEvent`, and "
        "`Alert` an `AlertByEmail` or an `AlertBySlack`.",
        *(_class(getattr(reporting, name)) for name in ORDER),
        _class(Inputs),
        _class(reporting.Period),
        "## build_dag\n\nMakes the DAG of a report. Every report file ends with it:",
        block("dag = build_dag(report)"),
    )


def _class(kind: type) -> str:
    parts = [f"## {kind.__name__}", summary(kind)]
    if kind in HANDED_OUT:
        return "\n\n".join([*parts, table(["write", "get"], _members(kind))])
    given = sorted((field for field in fields(kind) if field.init), key=_place)
    if given:
        rows = [field_row(kind, field) for field in given]
        parts.append(table(["field", "type", "default", "meaning"], rows))
    return "\n\n".join(parts)


def field_row(kind: type, field: Field[Any]) -> list[str]:
    """Return name, type, default and meaning of a field."""
    meaning = attributes(kind).get(field.name, "")
    meaning = meaning.replace("`reporting.definition.columns`", "[types](types.md)")
    return [code(field.name), code(_plain(str(field.type))), _default(field), meaning]


def _plain(text: str) -> str:
    """Return an annotation without the quotes of one that is not evaluated."""
    return re.sub(r"[\"']", "", text)


def _place(field: Field[Any]) -> tuple[bool, bool]:
    return _is_optional(field), bool(field.kw_only)


def _is_optional(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _default(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        value = field.default_factory()
        return code(value if value in ({}, []) else f"{type(value).__name__}()")
    if field.default is MISSING:
        return "required"
    if isinstance(field.default, timedelta):
        return _duration(field.default)
    if isinstance(field.default, type):
        return code(field.default.__name__)
    return code(field.default if isinstance(field.default, date) else repr(field.default))


def _duration(span: timedelta) -> str:
    """Return a duration in the largest unit that goes into it."""
    units = {"day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
    seconds = int(span.total_seconds())
    name, size = next(unit for unit in units.items() if seconds % unit[1] == 0)
    return f"{seconds // size} {name}{'' if seconds == size else 's'}"


def _members(kind: type) -> list[list[str]]:
    said = attributes(kind)
    own = [[code(name), text] for name, text in said.items() if name not in INNER]
    for name, member in vars(kind).items():
        if name.startswith("_") or name in said:
            continue
        if isinstance(member, property):
            own.append([code(name), summary(member)])
        elif inspect.isfunction(member):
            taken = list(inspect.signature(member).parameters)[1:]
            own.append([code(f"{name}({', '.join(taken)})"), summary(member)])
    return own
