"""Every error of the package: one root, and each is either terminal or transient.

The class decides what happens next. A transient error is worth another try, after `retry_after`
when the far side named a time; a terminal one fails the step at once.
A message says where, what was got, what is allowed and what to do next, and holds no secret.
"""

from __future__ import annotations

from datetime import timedelta


class ReportError(Exception):
    """Root of all errors raised by this package."""


class TerminalError(ReportError):
    """Trying again with the same input cannot help."""


class TransientError(ReportError):
    """Trying again later can help."""

    def __init__(self, message: str, retry_after: timedelta | None = None) -> None:
        """Keep the message and, when the far side named one, the time to wait."""
        super().__init__(message)
        self.retry_after = retry_after


class DefinitionError(TerminalError):
    """A report's definition contradicts itself or the rules; raised while it is built."""


class InputError(TerminalError):
    """A run was asked for with params that are not allowed."""


class ContractError(TerminalError):
    """Data does not keep what its source or table declares."""


class IntegrityError(TerminalError):
    """Stored data is not what its manifest says."""


class StagingGoneError(TerminalError):
    """What a step needs is no longer staged; the message names the tasks to clear."""


class ClaimError(TerminalError):
    """The business key is held by another run."""


def choices(allowed: list[str] | tuple[str, ...], got: object) -> str:
    """Name the allowed values, and the nearest one when `got` looks like a slip."""
    from difflib import get_close_matches

    near = get_close_matches(str(got), allowed, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"allowed: {', '.join(sorted(allowed)) or 'none'}.{hint}"
