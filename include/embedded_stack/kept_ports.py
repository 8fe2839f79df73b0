"""The ports of a stack, kept in its home: chosen once, they hold for every later command."""

import json
from dataclasses import asdict
from pathlib import Path

from embedded_stack.errors import StackError
from embedded_stack.ports import NAMES, Ports
from embedded_stack.private_file import write_private

FILE = "ports.json"


def read(home: Path) -> Ports | None:
    """The ports of the last `up`, or None before the first.

    Raises:
        StackError: the file is damaged.
    """
    path = home / FILE
    if not path.exists():
        return None
    try:
        known = dict(json.loads(path.read_text()))
        return Ports(**{name: int(known[name]) for name in NAMES if name in known})
    except (ValueError, TypeError):
        raise StackError(
            f"{path}: no JSON object of ports. Remove it to go back to the usual ports; whatever "
            "runs is started anew there by the next `make up`"
        ) from None


def keep(home: Path, ports: Ports) -> None:
    """Write them down if they are new."""
    text = json.dumps(asdict(ports), indent=2) + "\n"
    path = home / FILE
    if not path.exists() or path.read_text() != text:
        write_private(path, text)
