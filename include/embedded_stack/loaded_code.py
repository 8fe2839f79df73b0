"""Which code Airflow's processes hold in memory: a change to it needs their restart."""

import hashlib
from functools import cache

from embedded_stack.layout import CHECKOUT

FOLDERS = ("include/reporting", "plugins")


@cache
def digest() -> str:
    """A digest of the library and the plugins; DAG files are read anew by Airflow itself."""
    found = hashlib.sha256()
    for folder in FOLDERS:
        for path in sorted((CHECKOUT / folder).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]
