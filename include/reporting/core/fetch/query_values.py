"""What the query of a source may refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reporting.core.run import Run


def query_values(run: Run) -> dict[str, Any]:
    """Return the period and every param by name."""
    period = run.period
    built_in = {
        "period": period.key,
        "period_start": period.start,
        "period_end": period.end,
    }
    return {**run.params, **built_in}
