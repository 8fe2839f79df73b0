"""A report in words, shown as the DAG's documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reporting.definition.schedule_text import BY_HAND, schedule_line
from reporting.definition.starts import OnSchedule

if TYPE_CHECKING:
    from reporting.definition.report import Report
    from reporting.definition.source import Source
    from reporting.definition.tables import Table


def report_text(report: Report) -> str:
    """Return the definition as Markdown."""
    lines = [
        f"# {report.title}",
        "",
        *_start_lines(report),
        "**Sources**",
        "",
        *(_source_line(source) for source in report.sources),
        "",
        "**Tables**",
        "",
        *(_table_line(report.name, table) for table in report.tables),
    ]
    return "\n".join(lines)


def _start_lines(report: Report) -> list[str]:
    """Return what starts a run, a paragraph each."""
    lines = []
    for start in report.starts_on:
        if isinstance(start, OnSchedule):
            lines += [schedule_line(report.schedule), ""]
        else:
            queue = f" and on the queue `{start.queue}`" if start.queue else ""
            lines += [f"On the event `{start.name}`, told by its Airflow asset{queue}.", ""]
    return lines or [f"{BY_HAND.capitalize()}.", ""]


def _source_line(source: Source) -> str:
    kind = type(source).__name__
    need = "required" if source.required else "optional"
    return f"- `{source.name}`: {kind} through `{source.conn_id}`, {need}"


def _table_line(report: str, table: Table) -> str:
    return f"- `results.{report}__{table.name}`, key {', '.join(table.key)}"
