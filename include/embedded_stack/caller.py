"""Who starts the stack, and what of their shell must not leak into it."""

import os
import pwd
from collections.abc import Mapping

from embedded_stack.errors import StackError

FOREIGN_PREFIXES = ("AIRFLOW", "AWS_", "ERL_", "PG", "RABBITMQ_", "REPORTS_")


def without_foreign(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without what is meant for another Airflow, store, broker or database."""
    return {name: value for name, value in environ.items() if not name.startswith(FOREIGN_PREFIXES)}


def demand_named_user() -> None:
    """Refuse a user id that has no name, as some containers use.

    Raises:
        StackError: because PostgreSQL and Airflow would refuse later and less clearly.
    """
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        raise StackError(
            f"user id {os.geteuid()} has no name on this machine; PostgreSQL and Airflow need "
            "one. Next: run as a user listed by `getent passwd`"
        ) from None
