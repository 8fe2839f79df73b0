"""How a command describes itself: in one line in the list, and with examples in its own help."""

from __future__ import annotations

import argparse
from typing import Any

from reporting.cli.typed import as_typed


def described(
    login: argparse.ArgumentParser, what: str, examples: str, more: str = ""
) -> dict[str, Any]:
    """Return what a parser is made with, apart from its name.

    Args:
        login: the options that say which Airflow.
        what: what the command does, without a capital and a full stop.
        examples: and what else stands at the end of its help.
        more: what follows `what` in its own help, up to the full stop.
    """
    return {
        "parents": [login],
        "help": what,
        "description": f"{what[0].upper()}{what[1:]}{more}.",
        "epilog": as_typed(examples),
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }
