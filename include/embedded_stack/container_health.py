"""The health check of a container: exit code 0 when a health page calls a part healthy.

Usage: python -m embedded_stack.container_health http://127.0.0.1:8090/health weather
"""

import sys

from embedded_stack import sample


def is_healthy(url: str, part: str) -> bool:
    """Whether the page at `url` answers and calls the part healthy."""
    page = sample.get_json(url) or {}
    return page.get(part, {}).get("status") == "healthy"


def main() -> int:
    """Read the command line and return the exit code."""
    url, part = sys.argv[1:]
    return 0 if is_healthy(url, part) else 1


if __name__ == "__main__":
    sys.exit(main())
