"""Pools that Airflow knows: a task in any other one would wait, unstarted, for the run's limit."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from reporting.airflow_edge.connections import airflow_api
from reporting.core.airflow_api import NotFoundError
from reporting.errors import ReportError, TerminalError

if TYPE_CHECKING:
    from reporting.definition.report import Report

log = logging.getLogger(__name__)
DEFAULT = "default_pool"


def demand_pools(report: Report) -> None:
    """Look whether Airflow has the pools of a report; when it does not tell, go on.

    Raises:
        TerminalError: it has no pool of that name.
    """
    client = cache(airflow_api)  # one login for all
    first = {source.pool: source for source in reversed(report.sources) if source.pool != DEFAULT}
    for source in first.values():
        try:
            client().get(f"pools/{quote(source.pool, safe='')}")
        except NotFoundError:
            raise TerminalError(
                f"Source {source.name!r}: Airflow has no pool {source.pool!r}, so its fetch would "
                "never start. Add one with as many slots as may ask at once: Admin > Pools, or "
                f"airflow pools set {source.pool} 4 ''."
            ) from None
        except ReportError as error:
            log.warning("Source %r: pool %r is not looked for: %s", source.name, source.pool, error)
