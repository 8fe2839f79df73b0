"""The end of every command: an error becomes one line and an exit code, never a traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from reporting.cli import exit_codes
from reporting.cli.console import say_aside
from reporting.core.airflow_api import ConflictError
from reporting.errors import InputError, ReportError


def guarded(act: Callable[[], int]) -> int:
    """Return the exit code of `act`, also when it raises an error of this package."""
    try:
        return act()
    except (InputError, ConflictError) as error:
        say_aside(f"refused: {error}")
        return exit_codes.REFUSED
    except ReportError as error:
        say_aside(f"error: {error}")
        return exit_codes.FAILED
    except KeyboardInterrupt:
        say_aside("interrupted")
        return exit_codes.INTERRUPTED
    except BrokenPipeError:  # the reader had enough, as `head` has
        # What is still to be written at exit must not meet the closed pipe again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_codes.FAILED
