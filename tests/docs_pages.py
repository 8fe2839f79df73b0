"""The pages of the documentation, taken apart: blocks, commands, what a command must print."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from embedded_stack.layout import CHECKOUT

PAGES = sorted([CHECKOUT / "README.md", *(CHECKOUT / "docs").rglob("*.md")])
SHELL = ("console", "bash")
_FENCED = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"\s+# .*")
ELLIPSIS = "…"


@dataclass(frozen=True)
class Block:
    """One fenced block.

    Attributes:
        page: file it is in.
        language: of the fence.
        text: what is inside.
    """

    page: Path
    language: str
    text: str

    @property
    def name(self) -> str:
        """The page, as a test's id."""
        return str(self.page.relative_to(CHECKOUT))


@dataclass(frozen=True)
class Command:
    """One command line.

    Attributes:
        line: as it is typed.
        output: lines the page shows below it.
    """

    line: str
    output: list[str] = field(default_factory=list)


def blocks(page: Path, *languages: str) -> list[Block]:
    """Return the blocks of a page in order; of some languages, or all."""
    found = [
        Block(page, match["language"], dedent(match["text"]))
        for match in _FENCED.finditer(page.read_text(encoding="utf-8"))
    ]
    return [block for block in found if not languages or block.language in languages]


def all_blocks(*languages: str) -> list[Block]:
    """Return the blocks of every page."""
    return [block for page in PAGES for block in blocks(page, *languages)]


def commands(block: Block) -> list[Command]:
    """Return the commands of a shell block; with prompts, other lines are output."""
    lines = block.text.splitlines()
    return list(_commands(lines, prompted=any(line.startswith("$ ") for line in lines)))


def _commands(lines: Sequence[str], *, prompted: bool) -> Iterator[Command]:
    now: Command | None = None
    for text in lines:
        if prompted and not text.startswith("$ "):
            if now is not None and text.strip():
                now.output.append(text)
            continue
        if now is not None:
            yield now
            now = None
        line = _COMMENT.sub("", text.removeprefix("$ ")).strip()
        if line and not line.startswith("#"):
            now = Command(line)
    if now is not None:
        yield now


def missing_line(expected: Sequence[str], output: str) -> str | None:
    """Return the first expected line that `output` does not have in this order."""
    lines = iter(output.splitlines())
    for wanted in expected:
        parts = map(re.escape, wanted.split(ELLIPSIS))
        # How wide a column is depends on what else is in it.
        text = re.sub(r"(?:\\ ){2,}", r"\\s{2,}", ".*".join(parts).rstrip())
        pattern = re.compile(text + r"\s*\Z")
        if not any(pattern.match(line) for line in lines):
            return wanted
    return None
