"""The page of all commands, from their own help."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from docs.generator.markdown import block, page

from embedded_stack.__main__ import _parser as stack_parser
from embedded_stack.layout import CHECKOUT
from reporting.cli.main import parser as reports_parser
from sample_services.demo.__main__ import parser as demo_parser

WIDTH = "90"
TARGET = re.compile(r"^([a-z]+):.*?## (.*)$", re.MULTILINE)


def cli() -> str:
    """Return the page."""
    return page(
        "Command line",
        "This page shows the help of every command.",
        "## make",
        block("\n".join(f"make {name:<8} {text}" for name, text in make_targets().items())),
        "## reports",
        "`reports` is in `.venv/bin`.",
        *_helps(reports_parser(), "###"),
        "## The embedded stack",
        "`make up`, `make down` and `make status` call it. It runs as "
        "`.venv/bin/python -m embedded_stack`.",
        *_helps(stack_parser(), "###"),
        "## The demo",
        "`make demo` calls it.",
        *_helps(demo_parser(), "###"),
    )


def make_targets() -> dict[str, str]:
    """Return the targets of the Makefile that are meant for people, with their text."""
    return dict(TARGET.findall((CHECKOUT / "Makefile").read_text(encoding="utf-8")))


def _helps(parser: argparse.ArgumentParser, level: str) -> Iterator[str]:
    yield f"{level} {parser.prog}"
    yield block(_help(parser))
    for action in parser._actions:  # noqa: SLF001 - argparse has no other door
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for sub in action.choices.values():
                yield from _helps(sub, level)


def _help(parser: argparse.ArgumentParser) -> str:
    for action in parser._actions:  # noqa: SLF001
        if isinstance(action.default, Path):
            # As it is on every machine: the real one also decides where lines break.
            action.default = Path("var")
    with _width():
        return parser.format_help()


@contextmanager
def _width() -> Iterator[None]:
    """Let argparse break lines at the same place on every terminal."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = WIDTH
    try:
        yield
    finally:
        del os.environ["COLUMNS"]
        os.environ.update({} if before is None else {"COLUMNS": before})
