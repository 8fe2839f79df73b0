"""What is compared: the places of runs, and what Airflow knows of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    import psycopg

    from reporting.core.run import RunId
    from reporting.core.saga import Places
    from reporting.core.service.broker import Broker


@dataclass(frozen=True)
class Standing:
    """What Airflow knows of a run.

    Attributes:
        run: the run in its present life.
        is_under_way: whether it works, or waits to.
        ended_at: when it ended, if it has.
        is_green: whether it ended well, and so has published.
    """

    run: RunId
    is_under_way: bool
    ended_at: datetime | None
    is_green: bool = False


@dataclass(frozen=True)
class Installation:
    """All places of an installation.

    Attributes:
        places: where runs leave things.
        standing_of: asks Airflow of a run; None for one that it does not know (any more). It is
            asked again right before anything is removed.
        broker_of: opens the broker of an Airflow connection; without it reply queues are not
            looked at.
    """

    places: Places
    standing_of: Callable[[RunId], Standing | None]
    broker_of: Callable[[str], Broker] | None = None

    def remembering(self) -> Installation:
        """Return the same, which asks Airflow of each run once."""
        return replace(self, standing_of=cache(self.standing_of))

    def has_ended(self, run: RunId, before: datetime) -> bool:
        """Say whether a run had ended, or was gone, before an instant."""
        standing = self.standing_of(run)
        if standing is None:
            return True
        if standing.is_under_way:
            return False
        return standing.ended_at is None or standing.ended_at <= before

    def in_present_life(self, run: RunId) -> RunId:
        """Return the run as Airflow knows it, or as it is given when it is gone."""
        standing = self.standing_of(run)
        return run if standing is None else standing.run


def is_noted(connection: psycopg.Connection[object], run: RunId) -> bool:
    """Say whether the warehouse accounts for what a run leaves: it stages, or holds a claim."""
    found = connection.execute(
        "SELECT FROM reporting.staged_run WHERE report = %(report)s AND run_id = %(run_id)s "
        "UNION ALL "
        "SELECT FROM reporting.claim WHERE report = %(report)s AND run_id = %(run_id)s",
        {"report": run.report, "run_id": run.run_id},
    )
    return found.fetchone() is not None


def known_reports(connection: psycopg.Connection[object]) -> list[str]:
    """Return every report that has ever run: what lies under another name is not ours."""
    rows = connection.execute(
        "SELECT report FROM reporting.report UNION SELECT report FROM reporting.release "
        "UNION SELECT report FROM reporting.staged_run UNION SELECT report FROM reporting.claim "
        "ORDER BY report"
    ).fetchall()
    return [str(row[0]) for row in rows]  # type: ignore[index]
