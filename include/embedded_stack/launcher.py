"""What the supervisor really starts: ends leftovers, then becomes the service.

Usage: python -m embedded_stack.launcher <launch order>
"""

import os
import sys
from pathlib import Path

from embedded_stack.caller import without_foreign
from embedded_stack.former_life import Session, end, leftovers, running
from embedded_stack.service import LaunchOrder

SESSION_FILE = "session.json"


def launch(order_path: Path) -> None:
    """Clean up after a former life of the service and take its place."""
    order = LaunchOrder.read(order_path)
    session = Session.of_this_process()
    session.note(order_path.with_name(SESSION_FILE))
    strays = leftovers(session, Path(order.home))
    if order.program:
        strays |= running(order.program, Path(order.folder))
    end(strays)
    environment = without_foreign(os.environ) | dict(order.environment)
    os.chdir(order.folder)
    os.execvpe(order.argv[0], order.argv, environment)  # noqa: S606


if __name__ == "__main__":
    launch(Path(sys.argv[1]))
