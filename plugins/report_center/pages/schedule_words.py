"""When a report runs, in the reader's words."""

from report_center.pages.texts import Texts
from report_center.records.reports import ReportRow


def schedule_words(texts: Texts, report: ReportRow) -> str:
    """Return e.g. `daily at 06:00 Europe/Berlin`.

    Only English has words for every schedule: those of the definition, or of Airflow.
    """
    schedule = report.definition.get("schedule", {})
    key = f"schedule.{schedule.get('unit')}"
    if not texts.knows(key):
        return report.schedule_words
    return texts(key, at=schedule["at"], timezone=schedule["timezone"])
