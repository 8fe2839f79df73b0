"""Writes the pages of docs/reference.

Usage: .venv/bin/python docs/generate.py
"""  # noqa: INP001 - docs is a folder of pages, not a package

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))

from docs.generator import (  # noqa: E402
    cli,
    definition,
    endings,
    faults,
    messages,
    settings,
    states,
    types,
    warehouse,
)

PAGES: dict[str, Callable[[], str]] = {
    "definition.md": definition.definition,
    "cli.md": cli.cli,
    "types.md": types.types,
    "messages.md": messages.message_page,
    "faults.md": faults.faults,
    "endings.md": endings.endings_page,
    "settings.md": settings.settings,
    "warehouse.md": warehouse.warehouse,
    "states.md": states.states,
}


def main() -> None:
    """Write every page."""
    for name, make in PAGES.items():
        (FOLDER / "reference" / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
