"""Who or what started a run, in words."""

from report_center.pages.texts import Texts
from report_center.records.runs import RunRow


def started_by(texts: Texts, run: RunRow) -> str:
    """Return e.g. `admin, in Airflow` or `by its schedule`."""
    key = f"how.{run.how or 'unknown'}"
    how = texts(key) if texts.knows(key) else str(run.how)
    return texts("how.user", user=run.triggered_by, how=how) if run.triggered_by else how
