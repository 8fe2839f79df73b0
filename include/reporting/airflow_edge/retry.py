"""Maps the errors of the package, and of what it calls, to Airflow's retry policy (R13)."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from airflow.sdk import ExceptionRetryPolicy, RetryPolicy
from airflow.sdk.definitions.retry_policy import RetryAction, RetryDecision, RetryRule

from reporting.definition.retry import GROWTH
from reporting.errors import ReportError, TransientError

if TYPE_CHECKING:
    from reporting.definition.retry import Retry

# Trying again with the same input and code gives the same error.
HOPELESS: list[str | type[BaseException]] = [
    "reporting.errors.TerminalError",
    "airflow.sdk.exceptions.AirflowNotFoundException",  # no such connection
    "psycopg.ProgrammingError",
    "psycopg.DataError",
    "psycopg.IntegrityError",
    *(f"builtins.{name}" for name in ("TypeError", "LookupError", "AttributeError")),
    *(f"builtins.{name}" for name in ("ValueError", "ArithmeticError", "NameError")),
    *(f"builtins.{name}" for name in ("ImportError", "AssertionError")),
]


class ByErrorClass(RetryPolicy):
    """Terminal errors fail at once; transient ones wait as long as the far side asked for."""

    def evaluate(
        self,
        exception: BaseException,
        try_number: int,
        max_tries: int,
        context: Any = None,
    ) -> RetryDecision:
        """Decide what happens after `exception`."""
        if isinstance(exception, TransientError) and exception.retry_after is not None:
            return RetryDecision.retry(exception.retry_after, "the service named the time")
        return _by_class().evaluate(exception, try_number, max_tries, context)


@cache
def _by_class() -> ExceptionRetryPolicy:
    """Build the policy when a task has failed: it imports the classes it names."""
    rule = RetryRule(HOPELESS, action=RetryAction.FAIL, reason="trying again cannot help")
    return ExceptionRetryPolicy([rule])


def error_classes(error: BaseException) -> list[str]:
    """Return the names of what an error is, narrowest first, as `RunRetry.on` names them.

    An error of another library that may pass counts as transient.
    """
    own = [kind.__name__ for kind in type(error).__mro__ if issubclass(kind, ReportError)]
    if own:
        return own
    may_pass = _by_class().evaluate(error, 1, 1).action is not RetryAction.FAIL
    return [type(error).__name__, *([TransientError.__name__] if may_pass else [])]


def retry_wait(retry: Retry, error: BaseException, tries: int) -> list[float] | None:
    """Return the least and the most seconds until the next try; None where there is none."""
    if TransientError.__name__ not in error_classes(error):
        return None
    named = getattr(error, "retry_after", None)
    wait = retry.wait_after(tries) if named is None else (named, named)
    return [one.total_seconds() for one in wait]


def retry_arguments(retry: Retry) -> dict[str, Any]:
    """Return the operator arguments that make a task retry by `retry`."""
    return {
        "retries": retry.times,
        "retry_delay": retry.first_delay,
        "retry_exponential_backoff": GROWTH,
        "max_retry_delay": retry.max_delay,
        "retry_policy": ByErrorClass(),
    }
