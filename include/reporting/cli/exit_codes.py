"""The exit codes of every command."""

from __future__ import annotations

OK = 0
FAILED = 1
REFUSED = 2  # what argparse uses for a bad command line, too
UNDER_WAY = 3
DIFFERENCES = 4
INTERRUPTED = 130

IN_WORDS = (
    "exit codes: 0 done (with --wait: figures published), 1 failed, 130 interrupted,\n"
    "2 refused: what was asked for is not there or not allowed"
)
OF_A_RUN = (
    "exit codes: 0 the run was found, however it went; with --exit-code: 0 published, 1 failed, "
    "2 refused\ninput, 3 under way. Without an answer from Airflow: 1; without such a run: 2."
)
OF_LETTERS = (
    "exit codes: 0 done, 1 failed, 130 interrupted, 2 refused (of several: at least one):\n"
    "what was asked for is not there or not allowed"
)
OF_RECONCILIATION = (
    "exit codes: 0 nothing differs, 4 something does, 1 failed (or something could not be looked "
    "at),\n2 refused, 130 interrupted"
)
