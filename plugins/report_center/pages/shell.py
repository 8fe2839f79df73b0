"""Turns a template and its values into a page."""

from functools import cache
from hashlib import sha256
from pathlib import Path

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from report_center.pages.formats import Formats
from report_center.pages.frame import Frame, frame_of
from report_center.pages.texts import LANGUAGES

PLACE = Path(__file__).resolve().parent.parent
STATIC = PLACE / "static"
# In the order of the navigation: what a page's path begins with, and the key of its name.
SECTIONS = (("", "today"), ("runs", "runs"), ("dead-letters", "letters"), ("health", "health"))


def page(request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
    """Return a page made of a template."""
    return HTMLResponse(render(frame_of(request), template, **values), int(status))


def render(frame: Frame, template: str, **values: object) -> str:
    """Return a template's text; a value it names and does not get is a fault of the program."""
    return (
        environment()
        .get_template(template)
        .render(frame=frame, t=frame.texts, fmt=Formats(frame.texts), **values)
    )


@cache
def environment() -> Environment:
    """Return the templates; whatever they show is escaped."""
    made = Environment(
        loader=FileSystemLoader(PLACE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(sections=SECTIONS, languages=LANGUAGES, static=static_name)
    return made


@cache
def static_name(name: str) -> str:
    """Return a static file's name with a mark of its content, so that browsers may keep it."""
    mark = sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"{name}?v={mark}"
