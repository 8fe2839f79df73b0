"""A run in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from reporting.cli.amounts import NOTHING, count_text, moment_text, seconds_text, size_text
from reporting.cli.run_view import RETRYING
from reporting.cli.text_table import aligned
from reporting.cli.verdict import failure_of, has_failed, release_of

if TYPE_CHECKING:
    from reporting.cli.run_view import RunView, TaskView
    from reporting.core.warehouse.release import Release

LABEL = 13


def run_lines(view: RunView) -> list[str]:
    """Return everything about the run."""
    head = [
        ("Report", f"{view.title} ({view.report})"),
        ("Run", view.run_id),
        ("State", view.state),
        ("Period", view.period or NOTHING),
        ("Params", params_text(view.params)),
        ("Started", f"{moment_text(view.started)}, {view.by}"),
        ("Took", seconds_text(view.seconds)),
    ]
    return [
        *(labelled(name, text) for name, text in head),
        labelled("Open", view.url),
        "",
        *task_lines(view),
        *retry_lines(view),
        *outcome_lines(view),
    ]


def task_lines(view: RunView) -> list[str]:
    """Return one line per task."""
    headers = ["TASK", "STATE", "TRIES", "TOOK", "RESULT"]
    rows = [
        [
            task.name,
            task.state or NOTHING,
            f"{task.tries} of {task.max_tries}",
            seconds_text(task.seconds if task.tries else None),
            result_text(task),
        ]
        for task in view.tasks
    ]
    return aligned(headers, rows, right={"TOOK"})


def retry_lines(view: RunView) -> list[str]:
    """Return one line per task that waits for its next try: which one it is, and when."""
    waiting = [task for task in view.tasks if task.state == RETRYING]
    lines = [labelled("Next try", f"{task.name}, {_next_try(task)}") for task in waiting]
    return ["", *lines] if lines else []


def _next_try(task: TaskView) -> str:
    number = f"try {task.tries + 1} of {task.max_tries}"
    if task.next_try is None:
        return f"{number}, at a time that is not known"
    first, last = map(moment_text, task.next_try)
    return f"{number}, " + (f"at {first}" if first == last else f"between {first} and {last}")


def outcome_lines(view: RunView) -> list[str]:
    """Return what came of the run: the release, the failure, or the run that works instead."""
    release = release_of(view)
    lines = [] if release is None else ["", *release_lines(release)]
    if view.duplicate_of:
        lines += ["", labelled("Duplicate of", view.duplicate_of)]
        lines += [f"It was {view.already.text}."] if view.already else []
    elif has_failed(view):
        lines += ["", *failure_lines(view)]
        if view.state != "FAILED":
            lines.append("Airflow shows the run as green although nothing was published.")
    return lines


def failure_lines(view: RunView) -> list[str]:
    """Return the failure as an alert tells it, without what is on the screen already."""
    repeated = ("Report: ", "Period: ", "Run: ", "Open: ")
    return [line for line in failure_of(view).text.splitlines() if not line.startswith(repeated)]


def release_lines(release: Release) -> list[str]:
    """Return version, rows, files and what is missing."""
    rows = ", ".join(f"{name} {count_text(n, 'row')}" for name, n in release.row_counts.items())
    return [
        labelled("Published", f"version {release.version} (release {release.release_id}): {rows}"),
        *(labelled("File", key) for key in release.files),
        *(labelled("Without", f"{name}: {why}") for name, why in release.missing.items()),
        *(
            labelled("Without", f"{count_text(count, 'row')} of {name} that did not fit")
            for name, count in release.quarantined.items()
        ),
    ]


def result_text(task: TaskView) -> str:
    """Return a task's key numbers, or why it failed."""
    if task.failure:
        return task.failure.partition("\n")[0]
    if not isinstance(task.result, dict):
        return ""
    words = []
    rows = task.result.get("rows")
    if isinstance(rows, dict):
        words += [f"{name} {count_text(count, 'row')}" for name, count in rows.items()]
    elif isinstance(rows, int):
        words.append(count_text(rows, "row"))
    if "bytes" in task.result:
        words.append(size_text(task.result["bytes"]))
    if "messages" in task.result:
        words.append(count_text(task.result["messages"], "message"))
    if task.result.get("reused"):
        words.append("reused")
    return ", ".join(words)


def run_json(view: RunView) -> str:
    """Return the run for a program."""
    release = release_of(view)
    failure = failure_of(view) if has_failed(view) else None
    data: dict[str, Any] = asdict(view)
    data["release"] = None if release is None else asdict(release)
    data["failure"] = failure and {"step": failure.step, "reason": failure.reason}
    return json.dumps(data, indent=2, ensure_ascii=False)


def params_text(params: Mapping[str, Any]) -> str:
    """Return params as `name=value` texts; the ones without a value left out."""
    given = [
        f"{name}={value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in params.items()
        if value is not None
    ]
    return " ".join(given) or "none given"


def labelled(label: str, text: str) -> str:
    """Return one line of a list of facts."""
    return f"{label + ':':<{LABEL + 1}} {text}"
