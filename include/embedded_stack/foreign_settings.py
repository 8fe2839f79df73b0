"""Settings of the caller's shell that would change what the stack does."""

from collections.abc import Mapping

FOREIGN_PREFIXES = ("AIRFLOW", "AWS_", "PG", "REPORTS_")


def without_foreign(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what is meant for another Airflow, store or database."""
    return {name: value for name, value in environ.items() if not name.startswith(FOREIGN_PREFIXES)}
