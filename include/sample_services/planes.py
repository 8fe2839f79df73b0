"""A service that is asked by messages: the planes that flew from New York in 2013.

Usage: BROKER_URL=amqp://user:password@host:port/virtual-host python -m sample_services.planes
"""

import csv
import logging
import os
import sys
from collections.abc import Iterator

from reporting.errors import TerminalError
from reporting.messages import Request
from reporting.service import Refused, serve
from sample_services import flight_data

QUEUE = "planes.lookup"
# No option of the command line: there everybody could read the password.
URL = "BROKER_URL"
NUMBERS = ("year", "engines", "seats", "speed")


def planes(request: Request) -> Iterator[dict[str, str | int | None]]:
    """Yield every plane with the columns that are asked for."""
    with flight_data.planes().open(newline="") as file:
        rows = csv.DictReader(file)
        known = rows.fieldnames or ()
        if unknown := [name for name in request.columns if name not in known]:
            raise Refused(f"columns: got {', '.join(unknown)}; allowed are {', '.join(known)}")
        for row in rows:
            yield {name: _value(name, row[name]) for name in request.columns}


def _value(name: str, text: str) -> str | int | None:
    if text == flight_data.MISSING:
        return None
    return int(text) if name in NUMBERS else text


def main() -> int:
    """Serve, and return the exit code."""
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    # What it has to say of a lost connection is said by `serve`, once.
    logging.getLogger("pika").setLevel(logging.CRITICAL)
    try:
        serve(os.environ.get(URL, ""), QUEUE, planes)
    except TerminalError as error:
        print(f"{URL}: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
