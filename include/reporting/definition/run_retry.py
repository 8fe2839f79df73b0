"""How often, and how long after, a run that has failed is run again as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from reporting.definition.checked import checked
from reporting.errors import DefinitionError, TransientError

MOST_TIMES = 10
LONGEST_AFTER = timedelta(days=1)
OF_WHAT = "TransientError, or a class derived from it"
ErrorClass = Annotated[type[TransientError], OF_WHAT]


@checked
@dataclass(frozen=True)
class RunRetry:
    """Runs a failed run again, in place, after all tries of its steps were used up.

    `report_janitor` does it, so a pause is up to one of its rounds longer. While runs are left the
    failure is not told; the alert after the last one says how often it was run again.

    Attributes:
        times: further runs after the first, 1 to 10.
        after: pause between a failure and the next run, at most a day; the same each time.
        on: class of errors after which it is done: `TransientError`, or a class derived from it.
    """

    times: int = 1
    after: timedelta = timedelta(minutes=30)
    on: ErrorClass = TransientError

    def __post_init__(self) -> None:
        """Refuse counts, pauses and classes that make no sense."""
        if not 1 <= self.times <= MOST_TIMES:
            raise DefinitionError(f"RunRetry: times={self.times}; allowed: 1 to {MOST_TIMES}.")
        if not timedelta(0) <= self.after <= LONGEST_AFTER:
            raise DefinitionError(
                f"RunRetry: after={self.after}; allowed: 0 to {LONGEST_AFTER.days} day."
            )
        if not issubclass(self.on, TransientError):
            raise DefinitionError(
                f"RunRetry: on={self.on.__name__}; allowed: {OF_WHAT}. "
                "Running again with the same input cannot help against other errors."
            )
