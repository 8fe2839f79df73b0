"""Notes in Airflow's audit log what Airflow does not do itself."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

log = logging.getLogger(__name__)


def note(
    user: str, event: str, report: str | None, facts: Mapping[str, Any], run_id: str | None = None
) -> None:
    """Note who has done what to which report.

    It is done after the change, which stands whatever becomes of the note; each change is noted
    by its own records, too.
    """
    from airflow.models.log import Log
    from airflow.utils.session import create_session
    from sqlalchemy.exc import SQLAlchemyError

    log.info("%s: %s of %s, %s.", user, event, report, dict(facts))
    extra = json.dumps(dict(facts))
    entry = Log(event, None, user, user, extra, dag_id=report, run_id=run_id)
    try:
        with create_session(scoped=False) as session:
            session.add(entry)
    except SQLAlchemyError as error:
        log.warning("Airflow's audit log does not take %s: %s", event, type(error).__name__)
