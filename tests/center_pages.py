"""Every page of the report center made of samples, as text; a test may spoil what they show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from report_center.actions.trigger_form import fields_of
from report_center.pages.acts import Act
from report_center.pages.asked import VersionsAsked
from report_center.pages.faults import Fault
from report_center.pages.formats import Formats
from report_center.pages.frame import Frame
from report_center.pages.health_view import health_page
from report_center.pages.letters_view import (
    LetterPage,
    LettersFound,
    LettersWanted,
    letter_line,
    letters_view,
)
from report_center.pages.report_view import report_page
from report_center.pages.run_view import run_page
from report_center.pages.runs_view import runs_view
from report_center.pages.shell import render
from report_center.pages.texts import texts_in
from report_center.pages.today_view import Sought, today_view
from report_center.records.reports import ReportRow
from report_center.records.runs import RunsPage, RunsWanted
from tests import center_samples as samples
from tests import center_trouble as trouble

Record = TypeVar("Record")
Change = Callable[[str], str]


def as_it_is(text: str) -> str:
    return text


def changed(record: Record, change: Change) -> Record:
    """Return the same record with every text in it changed, however deep."""
    found: Any = record
    if isinstance(record, str):
        found = change(record)
    elif isinstance(record, Mapping):
        found = {name: changed(value, change) for name, value in record.items()}
    elif isinstance(record, tuple | list):
        found = tuple(changed(value, change) for value in record)
    elif is_dataclass(record) and not isinstance(record, type):
        values = {one.name: changed(getattr(record, one.name), change) for one in fields(record)}
        found = replace(record, **values)
    result: Record = found
    return result


def frame(path: str = "/reports/", language: str = "en", query: tuple[Any, ...] = ()) -> Frame:
    return Frame("/reports", path, query, texts_in(language))


ACT = Act("Run again", "/reports/runs/a/b/rerun", "main", "rerun")


def pages(language: str = "en", change: Change = as_it_is) -> dict[str, str]:
    """Return the text of every page by name."""
    own = frame(language=language, query=(("q", change("q")),))
    fmt = Formats(own.texts)
    acts = (replace(ACT, text=change(ACT.text)),)

    def of(record: Record) -> Record:
        return changed(record, change)

    report, wanted, run = of(samples.report()), of(RunsWanted(report="a")), of(samples.run())
    failed = samples.today_row(report=samples.report("b"), last=samples.run(state="FAILED"))
    rows = (samples.today_row(), failed)
    today = of(samples.today(*rows, unseen=("The store does not answer.",)))
    letter = of(trouble.letter())
    left = samples.version(release=samples.release(missing=LEFT))
    versions = of(samples.versions(samples.version(), left, next_before=7))
    working = replace(run, run_id=change("manual__2"), is_over=False)
    said = {(run.report, working.run_id): of(samples.progress())}
    found = RunsPage((run, working), 7, (change("away"),))
    line = letter_line(fmt, letter, {letter.report or "": report})
    known = letters_view(fmt, LettersFound((letter,), 1), of(LettersWanted("a", "b")), [report])
    runs = runs_view(fmt, found, wanted, [report], said)
    told: dict[str, tuple[str, dict[str, Any]]] = {
        "today": ("today.html", {"view": today_view(fmt, today, Sought(""), samples.DAY)}),
        "runs": ("runs.html", {"view": runs}),
        "runs, its part": ("runs_lines.html", {"view": runs}),
        "report": (
            "report.html",
            {
                "view": report_page(fmt, report, versions, ("away",)),
                "acts": acts,
                "asked": VersionsAsked(period="2026-03-04"),
                "version_acts": {17: acts},
            },
        ),
        "letters": ("letters.html", {"view": known, "acts": acts}),
        "letter": (
            "letter.html",
            {"view": LetterPage(line, change("body"), True, ()), "acts": acts},
        ),
        "health": ("health.html", {"view": health_page(own.texts, of(trouble.health()))}),
        "fault": ("fault.html", {"fault": Fault(404, "no_run", change("run_1"))}),
        "confirm": ("confirm.html", confirmation(change)),
        "trigger": ("trigger.html", {**confirmation(change), **form(own, report, change)}),
        "outcome": (
            "outcome.html",
            {**confirmation(change), "done": [change("1")], "refused": [change("2")]},
        ),
    }
    views = (samples.run_view(), samples.fetching_view(), samples.failed_view())
    for name, view in zip(("run", "fetching", "failed"), views, strict=True):
        values = {"view": run_page(fmt, of(view), change("UTC")), "may_download": True}
        told[name] = ("run.html", {**values, "acts": acts})
    return {name: render(own, template, **values) for name, (template, values) in told.items()}


LEFT = {"weather": "The service is away."}


def form(own: Frame, report: ReportRow, change: Change) -> dict[str, Any]:
    """Return what the page that triggers a report gets; every value in it is wrong."""
    schemas: dict[str, dict[str, Any]] = {
        "top": {"type": "integer", "description": change("How many.")},
        "region": {"enum": [change("north"), None], "title": change("Region")},
        "is_short": {"type": "boolean"},
        "note": {"type": "string", "maxLength": 1000},
        "more": {"type": "object"},
        "key": {"type": "string", "format": "password"},
    }
    params = {name: {"schema": schema, "default": None} for name, schema in schemas.items()}
    typed = {f"param.{name}": change("x") for name in schemas}
    faults = {name: change("is wrong") for name in ("period", *schemas)}
    asked = replace(report, definition={"params": params})
    return {"fields": fields_of(own.texts, asked, typed, faults), "is_known": True}


def confirmation(change: Change) -> dict[str, Any]:
    """Return what an action puts into the page that asks for confirmation."""
    return {
        "title": change("Run again"),
        "happens": [change("The run is cleared.")],
        "post_to": "/reports/runs/a/b/rerun",
        "button": change("Run again"),
        "is_dangerous": True,
        "hidden": [("seen", change("x"))],
        "back_to": "/reports/runs/a/b",
    }
