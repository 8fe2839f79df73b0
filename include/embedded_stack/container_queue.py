"""The health check of a container that is asked by messages: exit code 0 when it takes requests.

Usage: BROKER_URL=amqp://… python -m embedded_stack.container_queue planes.lookup
"""

import os
import sys

from reporting.serving import is_served
from sample_services.planes import URL


def main() -> int:
    """Read the command line and return the exit code."""
    (queue,) = sys.argv[1:]
    return 0 if is_served(os.environ[URL], queue) else 1


if __name__ == "__main__":
    sys.exit(main())
