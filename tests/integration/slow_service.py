"""A service whose work on a request lasts until a file is there.

Usage: python -m tests.integration.slow_service URL QUEUE FOLDER
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reporting.messages import Request
from reporting.service import Working, serve


def main(url: str, queue: str, folder: Path) -> None:
    """Serve; `begun` gets a line per work, and `end` ends it."""

    def rows(request: Request) -> Iterator[dict[str, Any] | Working]:
        with (folder / "begun").open("a") as file:
            file.write(f"{request.key}\n")
        yield Working("begun")
        while not (folder / "end").exists():
            time.sleep(0.05)
        yield {"id": 1}

    serve(url, queue, rows)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
