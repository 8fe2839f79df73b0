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
# A fence, or a step that only a person can do, named for the test.
_PIECE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$"
    r"|^<!-- step: (?P<step>[^\n]*) -->$",
    re.MULTILINE | re.DOTALL,
)
_HEREDOC = re.compile(r"<<'(\w+)'$")
_COMMENT = re.compile(r"\s+# .*")
ELLIPSIS = "…"


@dataclass(frozen=True)
class Block:
    """One fenced block, or a step for a person.

    Attributes:
        page: file it is in.
        language: of the fence; `step` for a step.
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
        stdin: text that follows it, up to its end mark.
        output: lines the page shows below it.
    """

    line: str
    stdin: str = ""
    output: list[str] = field(default_factory=list)

    @property
    def script(self) -> str:
        """The command as a shell reads it."""
        if not self.stdin:
            return self.line
        return f"{self.line}\n{self.stdin}{_HEREDOC.findall(self.line)[0]}\n"


def blocks(page: Path, *languages: str) -> list[Block]:
    """Return the blocks of a page in order; of some languages, or all."""
    found = [
        Block(page, "step", match["step"])
        if match["step"]
        else Block(page, match["language"], dedent(match["text"]))
        for match in _PIECE.finditer(page.read_text(encoding="utf-8"))
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
    rest = iter(lines)
    now: Command | None = None
    for text in rest:
        if prompted and not text.startswith("$ "):
            if now is not None and text.strip():
                now.output.append(text)
            continue
        if now is not None:
            yield now
            now = None
        line = _COMMENT.sub("", text.removeprefix("$ ")).strip()
        if line and not line.startswith("#"):
            now = Command(line, _stdin(line, rest))
    if now is not None:
        yield now


def _stdin(line: str, rest: Iterator[str]) -> str:
    mark = _HEREDOC.search(line)
    text = ""
    while mark and (following := next(rest)) != mark[1]:
        text += f"{following}\n"
    return text


def missing_line(expected: Sequence[str], output: str) -> str | None:
    """Return the first expected line that `output` does not have in this order."""
    lines = iter(output.splitlines())
    for wanted in expected:
        parts = map(re.escape, wanted.split(ELLIPSIS))
        pattern = re.compile(".*".join(parts).rstrip() + r"\s*\Z")
        if not any(pattern.match(line) for line in lines):
            return wanted
    return None
