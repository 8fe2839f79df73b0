"""The command as it can be typed again: a hint must not name a program that is not on PATH."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from shutil import which

PROGRAM = "reports"
_EXAMPLE = re.compile(rf"^  {PROGRAM} ", re.MULTILINE)


def command() -> str:
    """Return what to type for `reports`: that word, or the path it was called by."""
    called = Path(sys.argv[0])
    if called.name != PROGRAM or not called.exists():  # another program, or found by the shell
        return PROGRAM
    on_path = which(PROGRAM)
    if on_path and Path(on_path).samefile(called):
        return PROGRAM
    full = called.absolute()
    return shlex.quote(str(full.relative_to(Path.cwd()) if _is_below(full) else called))


def as_typed(examples: str) -> str:
    """Return examples that call `reports` with the command as it can be typed."""
    return _EXAMPLE.sub(lambda _: f"  {command()} ", examples)


def _is_below(path: Path) -> bool:
    return path.is_relative_to(Path.cwd())
