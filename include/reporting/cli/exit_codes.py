"""The exit codes of every command."""

from __future__ import annotations

OK = 0
FAILED = 1
REFUSED = 2  # what argparse uses for a bad command line, too
INTERRUPTED = 130

IN_WORDS = (
    "exit codes: 0 done (with --wait: figures published), 1 failed, "
    "2 refused input, 130 interrupted"
)
